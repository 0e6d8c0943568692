"""Minibatches, along which an engine takes a step: of n-grams, or of sentences."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmt.neural.data.source_vectors import SourceVectors


@dataclass(frozen=True, eq=False)
class WindowBatch:
    """A minibatch of n-grams.

    Attributes:
        rows: (n, positions + 1): the words of a context and the word after it, with the source
            words before the last.
        source: the vectors of the source beside each row.
    """

    rows: NDArray[np.int32]
    source: SourceVectors

    def part(self, first: int, last: int) -> "WindowBatch":
        """Some of the rows."""
        source = SourceVectors(self.source.vectors, self.source.of[first:last])
        return WindowBatch(self.rows[first:last], source)


@dataclass(frozen=True, eq=False)
class SentenceBatch:
    """A minibatch of sentences.

    Attributes:
        words: (n, longest + 2) with `<s>` and `</s>`, -1 after.
        source: the vectors of the source beside each word that is predicted, sentence by sentence.
    """

    words: NDArray[np.int32]
    source: SourceVectors

    def vector_of(self) -> NDArray[np.int32]:
        """(n, longest + 1) rows of the vectors beside the words that are predicted."""
        known = self.words[:, 1:] >= 0
        result = np.zeros(known.shape, dtype=np.int32)
        result[known] = self.source.of
        return result


Minibatch = WindowBatch | SentenceBatch
