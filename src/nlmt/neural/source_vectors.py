"""Vectors of the source beside the words before: of the sentence, or of the words around a place.

Auli et al. 2013, section 3: a sentence's vector by latent semantic analysis, or the embeddings that
a language model of the source has learnt, averaged or concatenated over a window.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmt.lm.protocol import SourcePositions
from nlmt.neural import _kernel
from nlmt.neural.config import Architecture
from nlmt.neural.data import END_ID, Corpus, Ids, as_stream

# Sentences that the analysis looks at, evenly spread over more; power iterations, further
# directions that make the first ones exact, and elements of a product at a time.
SENTENCES, ITERATIONS, FURTHER, PART = 500_000, 4, 20, 1 << 24


@dataclass(frozen=True, eq=False)
class Beside:
    """The vectors that stand beside n words.

    Attributes:
        vectors: (r, numbers).
        of: (n,) row of each word's.
    """

    vectors: NDArray[np.float32]
    of: NDArray[np.int32]

    @classmethod
    def nothing(cls, n: int) -> "Beside":
        """For a model that looks at no source."""
        return cls(np.zeros((1, 0), dtype=np.float32), np.zeros(n, dtype=np.int32))


@dataclass(frozen=True, eq=False)
class SourceVectors:
    """What gives the vectors of places.

    Attributes:
        kind: `lsa`, `averaged` or `concatenated`.
        window: words on each side of a place, unless `lsa`.
        table: (S, dim) of each word of the source vocabulary. The vector of a sentence by `lsa` is
            the sum over its different words of log(1 + tf) times their row.
    """

    kind: str
    window: int
    table: NDArray[np.float32]

    def at(self, stream: Ids, places: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors (n, numbers) at places of a stream of source sentences.

        The place of a sentence's end has its own row among those of a window, not in `lsa`; outside
        of the sentence there is nothing, and a sentence without words has zeros under `lsa`.
        """
        return _kernel.source_vectors(self.kind, stream, places, self.window, self.table, END_ID)

    def beside(self, source: SourcePositions) -> Beside:
        """The vectors of places, each once; with `lsa` all places of a sentence are one."""
        stream, events = as_stream(source)
        if self.kind == "lsa":
            events = events - source.position
        asked = np.zeros(len(stream), dtype=bool)
        asked[events] = True
        number = np.cumsum(asked, dtype=np.int32) - 1
        return Beside(self.at(stream, np.flatnonzero(asked)), number[events])


def source_vectors(
    architecture: Architecture, table: NDArray[np.float32] | None
) -> SourceVectors | None:
    """What an architecture makes of a table of the source's words, if anything."""
    if table is None:
        return None
    return SourceVectors(architecture.source, architecture.source_window, table)


def scaled(embeddings: NDArray[np.float32]) -> NDArray[np.float32]:
    """Embeddings (S, dim) of another model with a mean squared length of one."""
    size = float(np.sqrt(np.square(embeddings, dtype=np.float64).sum(axis=1).mean()))
    return (embeddings / max(size, 1e-30)).astype(np.float32)


def count_terms(
    words: NDArray[np.int32], of: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """The different words of each sentence with log(1 + tf): sentence, word, weight."""
    pairs, counts = np.unique(of.astype(np.int64) * size + words, return_counts=True)
    sentence, word = np.divmod(pairs, size)
    return sentence, word, np.log1p(counts).astype(np.float32)


def analyse(texts: Sequence[Corpus], size: int, dim: int, seed: int) -> NDArray[np.float32]:
    """The table (S, dim) of latent semantic analysis of source texts.

    Terms by sentences, log-entropy weights (Dumais 1991), the largest singular values by a
    randomised range finder (Halko, Martinsson and Tropp 2011). The vectors of the sentences have a
    mean squared length of one, to which each direction adds as much: longer ones, dim times as
    long in their square, throw feed-forward models off at their usual rates. Directions that the
    text does not have are zero.

    Args:
        texts: with S words in their vocabulary.
        size: S.
        dim: directions.
        seed: of the first directions.
    """
    total = sum(text.sentences for text in texts)
    step = -(-total // SENTENCES)
    words, of, sentences = [], [], 0
    for text in texts:
        chosen = np.arange(0, text.sentences, step)
        rows = text.pad(chosen)
        inside = (rows >= 0) & (rows != END_ID)
        words.append(rows[inside])
        of.append(sentences + np.nonzero(inside)[0])
        sentences += len(chosen)
    sentence, word, local = count_terms(np.concatenate(words), np.concatenate(of), size)
    frequency = np.expm1(local.astype(np.float64))
    share = frequency / np.bincount(word, frequency, size)[word]
    entropy = np.bincount(word, share * np.log(share), size)
    weight = 1 + entropy / np.log(max(sentences, 2))  # 0: equally often in all sentences
    values = local * weight[word]
    by_word = np.argsort(word, kind="stable")
    columns = min(dim + FURTHER, size, sentences)
    basis = np.random.default_rng(seed).normal(size=(size, columns))
    for _ in range(ITERATIONS):
        basis = np.linalg.qr(basis)[0]
        folded = product(sentence, word, values, basis, sentences)
        basis = product(word[by_word], sentence[by_word], values[by_word], folded, size)
    basis = np.linalg.qr(basis)[0]
    folded = product(sentence, word, values, basis, sentences)  # (sentences, columns)
    squares, turn = np.linalg.eigh(folded.T @ folded)
    largest = np.argsort(squares)[::-1][:dim]
    squares, directions = squares[largest], basis @ turn[:, largest]  # (S, dim)
    directions *= np.sign(directions[np.abs(directions).argmax(axis=0), np.arange(len(largest))])
    kept = squares > 1e-9 * squares[0]
    scale = np.where(kept, np.sqrt(sentences / dim / np.maximum(squares, 1e-30)), 0.0)
    table = np.zeros((size, dim), dtype=np.float32)
    table[:, : len(largest)] = weight[:, None] * directions * scale
    return table


def product(
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    values: NDArray[np.float64],
    dense: NDArray[np.float64],
    size: int,
) -> NDArray[np.float64]:
    """A sparse matrix (size, n), its entries by rising row, times a dense one (n, k)."""
    result = np.zeros((size, dense.shape[1]))
    step = max(1, PART // dense.shape[1])
    for begin in range(0, len(rows), step):
        some = slice(begin, begin + step)
        first = np.flatnonzero(np.diff(rows[some], prepend=-1))
        sums = np.add.reduceat(dense[columns[some]] * values[some][:, None], first)
        result[rows[some][first]] += sums
    return result
