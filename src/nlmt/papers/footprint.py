"""Measurement of the memory of language models in the decoder."""

import ctypes
import gc
from collections.abc import Callable
from functools import partial
from pathlib import Path

from nlmt.decoder.ini_features import LANGUAGE_MODELS
from nlmt.io.moses_ini import read_ini

STATISTICS = Path("/proc/self/smaps_rollup")


def measure_memory(ini: Path) -> dict[str, int]:
    """The memory of each language model of a moses.ini, in bytes by its label.

    The growth of a process when the model is loaded: mapped pages of its file, which KenLM reads at
    once, and allocations. Scores that the decoder caches are not counted.
    """
    return {
        feature.label: _growth(partial(LANGUAGE_MODELS[feature.kind], feature, ini))
        for feature in read_ini(ini).features
        if feature.kind in LANGUAGE_MODELS
    }


def _growth(load: Callable[[], object]) -> int:
    """Bytes by which the process grows when `load` is called."""
    load()  # libraries that the first call loads are not counted
    before = _resident()
    loaded = load()
    after = _resident()
    del loaded
    return max(0, after - before)


def _resident() -> int:
    """Bytes that the process holds in memory now, after it has released free memory."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc
    if trim is not None:
        trim(0)
    for line in STATISTICS.read_text(encoding="ascii").splitlines():
        if line.startswith("Rss:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"{STATISTICS}: no line Rss")
