"""The different beginnings of sentences, so that each is read once."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nlmt.io import _nbest


class Beginnings:
    """The different beginnings of sentences in alphabetical order, as a tree by columns.

    Attributes:
        count: number of beginnings, whole sentences with `</s>` included.
        contexts: number of those that continue, the empty one included.
        of: the beginning that ends with each word, for the words of all rows in sequence.
    """

    def __init__(self, rows: NDArray[np.int32], is_end: NDArray[np.bool_]) -> None:
        """Number the beginnings of rows (n, longest) of symbols, -1 after the last.

        `is_end` tells for each symbol whether it ends a sentence.
        """
        self._rows, self._is_end = rows, is_end
        differs = np.ones(rows.shape, dtype=bool)
        differs[1:] = np.logical_or.accumulate(rows[1:] != rows[:-1], axis=1)
        self._new = differs & (rows >= 0)  # the first row with this beginning
        counts = self._new.sum(axis=0)
        self.count = int(counts.sum())
        self.contexts = 1 + int(np.count_nonzero(self._new & ~is_end[rows]))
        numbers = np.cumsum(self._new, axis=0) - 1 + np.cumsum(counts) - counts
        self.of: NDArray[np.int64] = numbers[rows >= 0]

    def columns(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
        """The beginnings of each length: the one that each extends, and its last symbol.

        The former are numbers among the continuing beginnings of the column before.
        """
        parent = np.zeros(len(self._rows), dtype=np.int64)
        for column, new in zip(self._rows.T, self._new.T, strict=True):
            yield parent[new], column[new]
            parent = np.cumsum(new & ~self._is_end[column]) - 1


def group_equal(
    symbols: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different sentences in the order of their symbols, and the number of each sentence."""
    first, of = _nbest.distinct(symbols, offsets)
    data = symbols.astype(">u4").tobytes()  # sorts as the numbers do
    borders = (4 * offsets).tolist()
    keys = [data[borders[i] : borders[i + 1]] for i in first.tolist()]
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
    return first[order], np.argsort(order)[of]
