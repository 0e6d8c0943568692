"""Ctrl-C ends compiled work on its way; times are those of the processor, not of a busy machine."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from nlmt.evaluation import _statistics
from nlmt.phrases._phrases import EncodedBitext, Lexicon

SOON = 0.02  # seconds until Ctrl-C; each work takes many times as long


def ends_on_its_way(work: Callable[[], object]) -> bool:
    """Whether Ctrl-C saves more than half of the work."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    began = time.process_time()
    work()
    whole = time.process_time() - began
    former = signal.signal(signal.SIGPROF, stop)
    began = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_PROF, SOON)
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        signal.signal(signal.SIGPROF, former)
    return whole > 4 * SOON and time.process_time() - began < whole / 2


@pytest.mark.parametrize("threads", [1, 2])
def test_counting_for_evaluation(threads: int) -> None:
    rows, length = 4_000, 25
    rng = np.random.default_rng(1)
    sides = []
    for _ in range(2):
        sides.append(rng.integers(50, size=rows * length, dtype=np.int32))
        sides.append(np.arange(0, rows * length + 1, length, dtype=np.int64))
    own, reference = sides[:2], sides[2:]
    texts = _statistics.EncodedTexts(*own, np.arange(rows, dtype=np.int32), *reference, 1)
    assert ends_on_its_way(lambda: _statistics.ter(texts, threads))


def test_the_lexicon(tmp_path: Path) -> None:
    bitext = EncodedBitext(str(tmp_path), 1 << 28)
    words = [f"w{word}" for word in np.random.default_rng(1).permutation(20_000)]
    links = " ".join(f"{place}-{place}" for place in range(20))
    for start in range(0, 20_000, 20):
        line = " ".join(words[start : start + 20])
        for _ in range(80):
            bitext.add(line, line, links)
    bitext.finish()
    assert ends_on_its_way(lambda: Lexicon(bitext, 1 << 26))
