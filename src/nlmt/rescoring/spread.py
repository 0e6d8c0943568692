"""Statistics of an n-best list: sizes, different hypotheses, ranges of totals, features."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io import _nbest
from nlmt.io.nbest import NbestList, iter_nbest


@dataclass(frozen=True, eq=False)
class Spread:
    """Statistics of a list with S sentences that have hypotheses, and F feature values each.

    Attributes:
        sentence: (S,) numbers of the sentences, rising.
        sizes: (S,) number of hypotheses of each.
        distinct: (S,) number of them with different words.
        words: number of words of all hypotheses.
        ranges: (S,) highest minus lowest total of each.
        feature_names: label and number of values.
        lowest: (F,) of each feature value in the whole list.
        highest: (F,).
        mean: (F,).
    """

    sentence: NDArray[np.int64]
    sizes: NDArray[np.int64]
    distinct: NDArray[np.int64]
    words: int
    ranges: NDArray[np.float64]
    feature_names: list[tuple[str, int]]
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    mean: NDArray[np.float64]

    @property
    def hypotheses(self) -> int:
        """Number of lines of the list."""
        return int(self.sizes.sum())

    @property
    def missing(self) -> int:
        """Number of sentences without hypotheses before the last one that has some."""
        return int(self.sentence[-1]) + 1 - len(self.sentence)


def measure_spread(nbest: Path | str) -> Spread:
    """Read a list once; keeps the words of one block, at least one sentence, in memory.

    Raises:
        InputError: a malformed list, or one without hypotheses.
    """
    parts: list[NDArray[np.float64]] = []  # (sentences, 4) of each block
    words = 0
    names: list[tuple[str, int]] = []
    lowest, highest, sums = np.array(np.inf), np.array(-np.inf), np.array(0.0)
    for block in iter_nbest(nbest):
        starts = block.sentence_starts()
        first = starts[:-1]
        ranges = np.maximum.reduceat(block.totals, first) - np.minimum.reduceat(block.totals, first)
        columns = (block.sentence[first], np.diff(starts), _count_distinct(block), ranges)
        parts.append(np.column_stack(columns).astype(np.float64))
        words += len(block.ids)
        names = block.feature_names
        lowest = np.minimum(lowest, block.features.min(axis=0))
        highest = np.maximum(highest, block.features.max(axis=0))
        sums = sums + block.features.sum(axis=0)
    if not parts:
        raise InputError("a list without hypotheses", path=nbest)
    rows = np.concatenate(parts)
    sentence, sizes, distinct = rows[:, :3].T.astype(np.int64)
    mean = sums / sizes.sum()
    return Spread(sentence, sizes, distinct, words, rows[:, 3], names, lowest, highest, mean)


def _count_distinct(block: NbestList) -> NDArray[np.int64]:
    """Number (sentences,) of hypotheses with different words."""
    # The sentence as first word distinguishes equal hypotheses of different sentences.
    ids = np.insert(block.ids, block.offsets[:-1], block.sentence)
    first, _ = _nbest.distinct(ids, block.offsets + np.arange(len(block) + 1))
    return np.diff(np.searchsorted(first, block.sentence_starts()))
