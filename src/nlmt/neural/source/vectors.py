"""Vectors of the source as further input: of the sentence, or of words at or around a position.

Auli et al. 2013, section 5.1: a sentence's vector by latent semantic analysis, or the embeddings
that a language model of the source has learnt, or LSA's vectors of words, averaged or concatenated
over a window or the linked words. Other kinds of vectors are `SourceEncoder`s, too.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.io import _nbest
from nlmt.lm.protocol import SourcePositions
from nlmt.neural import _kernel
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.tensors import Tensors
from nlmt.neural.text.numbered import END_ID, OUTSIDE, Ids, Indices, as_stream

TABLE = "source_table"  # (S, numbers) of each word of the source


@dataclass(frozen=True, eq=False)
class SourceVectors:
    """The vectors of the source for n words.

    Attributes:
        vectors: (r, numbers).
        of: (n,) row of each word's.
    """

    vectors: NDArray[np.float32]
    of: NDArray[np.int32]

    @classmethod
    def nothing(cls, n: int) -> "SourceVectors":
        """Empty vectors, for a model without a source."""
        return cls(np.zeros((1, 0), dtype=np.float32), np.zeros(n, dtype=np.int32))

    def take(self, words: NDArray[np.int64]) -> "SourceVectors":
        """The vectors of some of the words."""
        return SourceVectors(self.vectors, self.of[words])


class SourceEncoder(ABC):
    """Computes the vectors of positions in the source, from arrays that training has made.

    The arrays stand beside the model's parameters in `model.safetensors`.
    """

    names: ClassVar[tuple[str, ...]]

    @classmethod
    @abstractmethod
    def shapes(
        cls, architecture: Architecture, words: int, source_words: int, arrays: Tensors
    ) -> dict[str, tuple[int, ...]]:
        """The shapes of the arrays of floating-point numbers.

        `words` is V, `source_words` S; `arrays` are all that the model's folder has.

        Raises:
            InputError: an array of other numbers is missing or damaged.
        """

    @classmethod
    @abstractmethod
    def from_arrays(cls, architecture: Architecture, arrays: Tensors) -> "SourceEncoder":
        """The encoder of a model that has these arrays."""

    @property
    @abstractmethod
    def of_sentences(self) -> bool:
        """Whether all positions of a sentence share one vector, requested at its first position."""

    @abstractmethod
    def at(self, stream: Ids, indices: Indices) -> NDArray[np.float32]:
        """The vectors (n, numbers) at indices of a stream of source sentences."""

    def encode(self, source: SourcePositions) -> SourceVectors:
        """The vectors of positions, each computed once."""
        stream, events = as_stream(source)
        if events.ndim > 1:  # of linked words
            begins = np.arange(len(events) + 1, dtype=np.int64) * events.shape[1]
            first, of = _nbest.distinct(events.astype(np.int32).ravel(), begins)
            return SourceVectors(self.at(stream, events[first]), of)
        if self.of_sentences:
            events = events - source.position
        asked = np.zeros(len(stream), dtype=bool)
        asked[events] = True
        number = np.cumsum(asked, dtype=np.int32) - 1
        return SourceVectors(self.at(stream, np.flatnonzero(asked)), number[events])


class EncodedSources:
    """The vectors of all positions of some source sentences, kept for repeated requests.

    Attributes:
        ids: words of all source sentences, as in `SourcePositions`.
        offsets: (sources + 1,).
    """

    def __init__(
        self, encoder: SourceEncoder, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> None:
        """Encode sentences, which are kept and must not be changed."""
        self.ids, self.offsets = ids, offsets
        self._last = np.diff(offsets)  # position of the end
        self._begins = offsets[:-1] + np.arange(len(self._last))  # of sentences among all positions
        of = np.repeat(np.arange(len(self._last), dtype=np.int32), self._last + 1)
        position = (np.arange(len(of)) - self._begins[of]).astype(np.int32)
        self._all = encoder.encode(SourcePositions(ids, offsets, of, position))

    def at(self, source: SourcePositions) -> SourceVectors:
        """The vectors of positions in these sentences, not of linked words."""
        if not ((source.position >= 0) & (source.position <= self._last[source.of])).all():
            raise ValueError(OUTSIDE)
        places = self._begins[source.of] + source.position
        return SourceVectors(self._all.vectors, self._all.of[places])


@dataclass(frozen=True, eq=False)
class TableEncoder(SourceEncoder):
    """Makes vectors from a row of numbers for each word.

    Attributes:
        kind: `lsa`, `averaged` or `concatenated`.
        places: distances of the words taken from a position, rising; unused by `lsa` and for linked
            words.
        table: (S, dim) of each word of the source vocabulary. The vector of a sentence by `lsa` is
            the sum over its different words of log(1 + tf), or of tf, times their row.
        weights: of `lsa`: `log-entropy` or `tf-idf`.
    """

    kind: str
    places: tuple[int, ...]
    table: NDArray[np.float32]
    weights: str = "log-entropy"

    names = (TABLE,)

    @classmethod
    @override
    def shapes(
        cls, architecture: Architecture, words: int, source_words: int, arrays: Tensors
    ) -> dict[str, tuple[int, ...]]:
        return {TABLE: (source_words, architecture.source_dim)}

    @classmethod
    @override
    def from_arrays(cls, architecture: Architecture, arrays: Tensors) -> "TableEncoder":
        a = architecture
        return cls(a.source, a.source_places, arrays[TABLE], a.source_weights)

    @property
    @override
    def of_sentences(self) -> bool:
        return self.kind == "lsa"

    @override
    def at(self, stream: Ids, indices: Indices) -> NDArray[np.float32]:
        """The vectors (n, numbers) at indices of a stream of source sentences.

        In a window the sentence's end has a row of its own, and what is outside the sentence is
        left out, as are missing linked words. Under `lsa` the end has none, and a sentence without
        words has zeros.
        """
        if indices.ndim > 1:
            return self._joined(self.table[stream[indices]], indices >= 0)
        if self.kind == "lsa" and self.weights == "tf-idf":
            return self._sums(stream, indices)
        side = max(map(abs, self.places), default=0)
        if self.kind == "lsa" or len(self.places) == 2 * side + 1:
            return _kernel.source_vectors(self.kind, stream, indices, side, self.table, END_ID)
        return self._chosen(stream, indices, side)

    def _sums(self, stream: Ids, begins: NDArray[np.int64]) -> NDArray[np.float32]:
        """The sums over all words of the sentences that begin at `begins`."""
        sums = np.zeros((len(begins), self.table.shape[1]), dtype=np.float32)
        rows, at = np.arange(len(begins)), begins
        while len(rows):
            going = stream[at] != END_ID
            rows, at = rows[going], at[going]
            sums[rows] += self.table[stream[at]]
            at = at + 1
        return sums

    def _chosen(self, stream: Ids, indices: NDArray[np.int64], side: int) -> NDArray[np.float32]:
        """The vectors of a window that lacks some of its words."""
        columns = np.array(self.places) + side
        words = _kernel.source_windows(stream, indices, side, -1, END_ID, 0)
        inside = words >= 0
        inside[:, 1:] &= words[:, :-1] != END_ID  # after the first end is padding
        return self._joined(self.table[words[:, columns]], inside[:, columns])

    def _joined(self, rows: NDArray[np.float32], inside: NDArray[np.bool_]) -> NDArray[np.float32]:
        """One vector of the rows (n, words, dim) of words, those that are not `inside` left out."""
        rows[~inside] = 0
        if self.kind == "concatenated":
            return rows.reshape(len(rows), -1)
        count = np.maximum(inside.sum(axis=1, keepdims=True), 1)
        mean: NDArray[np.float32] = (rows.sum(axis=1) / count).astype(np.float32)
        return mean


def scaled(embeddings: NDArray[np.float32]) -> NDArray[np.float32]:
    """Embeddings (S, dim) of another model with a mean squared length of one."""
    size = float(np.sqrt(np.square(embeddings, dtype=np.float64).sum(axis=1).mean()))
    return (embeddings / max(size, 1e-30)).astype(np.float32)
