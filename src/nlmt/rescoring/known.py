"""Scores that another list of the same text already has, so that nothing is scored twice.

The lists of several runs of a decoder have more than nine tenths of their hypotheses in common.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmt.io import _nbest

# Concatenated rows of numbers, and where each begins.
Ragged = tuple[NDArray[np.int32], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class KnownScores:
    """Scores of one model by two hashes, 128 bits together, of the inputs of each score.

    Attributes:
        first: (n,) the first hash, rising and distinct.
        second: (n,) the second one.
        scores: (n,) natural-log probabilities, with the six digits of lists.
    """

    first: NDArray[np.uint64]
    second: NDArray[np.uint64]
    scores: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Sequence[Ragged], scores: Sequence[NDArray[np.float64]]) -> "KnownScores":
        """The scores of blocks of rows, which hold the inputs of each score."""
        hashes = [_nbest.row_hashes(*block) for block in rows]
        nothing = np.zeros(0, np.uint64)
        first, once = np.unique(
            np.concatenate([nothing, *(one for one, _ in hashes)]), return_index=True
        )
        second = np.concatenate([nothing, *(other for _, other in hashes)])[once]
        return cls(first, second, np.concatenate([np.zeros(0), *scores])[once])

    def find(self, rows: Ragged) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Scores (n,) of rows, and the unknown rows, rising, whose scores are 0."""
        first, second = _nbest.row_hashes(*rows)
        if not len(self.first):
            return np.zeros(len(first)), np.arange(len(first))
        place = np.minimum(np.searchsorted(self.first, first), len(self.first) - 1)
        known = (self.first[place] == first) & (self.second[place] == second)
        return np.where(known, self.scores[place], 0.0), np.flatnonzero(~known)
