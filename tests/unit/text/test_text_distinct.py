"""Numbers of distinct words."""

import random

import numpy as np
import pytest

from nlmt.chunks import in_chunks
from nlmt.text.distinct import DistinctCounter, word_hashes


def test_distinct_words_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DistinctCounter, "_PENDING", 50)
    draw = random.Random(1)  # noqa: S311
    words = [f"w{draw.randint(0, 300)}" for _ in range(2000)]
    counter = DistinctCounter()
    for chunk in in_chunks(words, 70):
        counter.add(word_hashes(set(chunk)))
    assert counter.count() == len(set(words))
    assert DistinctCounter().count() == 0
    assert np.array_equal(word_hashes(["a", "b"]), word_hashes(["a", "b"]))
