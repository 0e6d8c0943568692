"""Vectors of the source beside the words before: of the sentence, or of words around a position.

Auli et al. 2013, section 5.1: a sentence's vector by latent semantic analysis, or the embeddings
that a language model of the source has learnt, averaged or concatenated over a window.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmt.lm.protocol import SourcePositions
from nlmt.neural import _kernel
from nlmt.neural.data.numbered_text import END_ID, Ids, as_stream


@dataclass(frozen=True, eq=False)
class SourceVectors:
    """The vectors of the source that stand beside n words.

    Attributes:
        vectors: (r, numbers).
        of: (n,) row of each word's.
    """

    vectors: NDArray[np.float32]
    of: NDArray[np.int32]

    @classmethod
    def nothing(cls, n: int) -> "SourceVectors":
        """For a model that looks at no source."""
        return cls(np.zeros((1, 0), dtype=np.float32), np.zeros(n, dtype=np.int32))


@dataclass(frozen=True, eq=False)
class SourceEncoder:
    """What gives the vectors of positions in the source.

    Attributes:
        kind: `lsa`, `averaged` or `concatenated`.
        window: words on each side of a position, unless `lsa`.
        table: (S, dim) of each word of the source vocabulary. The vector of a sentence by `lsa` is
            the sum over its different words of log(1 + tf) times their row.
    """

    kind: str
    window: int
    table: NDArray[np.float32]

    def at(self, stream: Ids, indices: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors (n, numbers) at indices of a stream of source sentences.

        The position of a sentence's end has its own row among those of a window, not in `lsa`;
        outside of the sentence there is nothing, and a sentence without words has zeros under
        `lsa`.
        """
        return _kernel.source_vectors(self.kind, stream, indices, self.window, self.table, END_ID)

    def encode(self, source: SourcePositions) -> SourceVectors:
        """The vectors of positions, each once; with `lsa` all positions of a sentence are one."""
        stream, events = as_stream(source)
        if self.kind == "lsa":
            events = events - source.position
        asked = np.zeros(len(stream), dtype=bool)
        asked[events] = True
        number = np.cumsum(asked, dtype=np.int32) - 1
        return SourceVectors(self.at(stream, np.flatnonzero(asked)), number[events])


def source_encoder(
    kind: str, window: int, table: NDArray[np.float32] | None
) -> SourceEncoder | None:
    """What gives vectors of the source, where there is a table of the source's words."""
    return None if table is None else SourceEncoder(kind, window, table)


def scaled(embeddings: NDArray[np.float32]) -> NDArray[np.float32]:
    """Embeddings (S, dim) of another model with a mean squared length of one."""
    size = float(np.sqrt(np.square(embeddings, dtype=np.float64).sum(axis=1).mean()))
    return (embeddings / max(size, 1e-30)).astype(np.float32)
