"""What an engine takes a step along: n-grams, or sentences."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmt.neural.source_vectors import Beside


@dataclass(frozen=True, eq=False)
class WindowBatch:
    """A minibatch of n-grams.

    Attributes:
        rows: (n, positions + 1): the words of a context and the word after it, with the source
            words before the last.
        beside: of each row.
    """

    rows: NDArray[np.int32]
    beside: Beside

    def part(self, first: int, last: int) -> "WindowBatch":
        """Some of the rows."""
        beside = Beside(self.beside.vectors, self.beside.of[first:last])
        return WindowBatch(self.rows[first:last], beside)


@dataclass(frozen=True, eq=False)
class SentenceBatch:
    """A minibatch of sentences.

    Attributes:
        words: (n, longest + 2) with `<s>` and `</s>`, -1 after.
        beside: of each word that is predicted, sentence by sentence.
    """

    words: NDArray[np.int32]
    beside: Beside

    def vector_of(self) -> NDArray[np.int32]:
        """(n, longest + 1) rows of the vectors beside the words that are predicted."""
        known = self.words[:, 1:] >= 0
        result = np.zeros(known.shape, dtype=np.int32)
        result[known] = self.beside.of
        return result


Minibatch = WindowBatch | SentenceBatch
