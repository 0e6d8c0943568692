"""Scores of networks over sentences: equal beginnings are read once, lattices step by step."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.lm.protocol import SourcePositions
from nlmt.neural.compiled_layers import history_length
from nlmt.neural.config import Architecture
from nlmt.neural.data import BEGIN_ID, END_ID, Corpus
from nlmt.neural.parameters import Parameters
from nlmt.neural.prefixes import join_rows
from nlmt.neural.readers import Arrays, Memories, make_reader
from nlmt.neural.scoring import ScoringStatistics
from nlmt.neural.source_vectors import Beside, SourceVectors
from nlmt.neural.structure import Structure

# Different sentences that are read side by side.
SENTENCES = 1024


@dataclass(frozen=True, eq=False)
class States:
    """What a model knows of the words so far, as arrays of n rows each.

    A model with a vector of the source beside each word reads the last word when the next one is
    known, to which that vector belongs.

    Attributes:
        memories: of each layer after all words, with vectors beside them after all but the last;
            of a transformer, all that it remembers of the words.
        history: (n, `history_length`) last words.
        seen: (n, dim) what the output layer sees; without columns where the last word is not read.
    """

    memories: Arrays
    history: NDArray[np.int32]
    seen: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.history)

    def take(self, rows: NDArray[np.integer]) -> "States":
        """Some of the rows, each any number of times."""
        memories = tuple(tuple(part[rows] for part in memory) for memory in self.memories)
        return States(memories, self.history[rows], self.seen[rows])

    @staticmethod
    def join(parts: Sequence["States"]) -> "States":
        """The rows of several."""
        memories = tuple(
            tuple(join_rows(same) for same in zip(*layers, strict=True))
            for layers in zip(*(one.memories for one in parts), strict=True)
        )
        histories = np.concatenate([one.history for one in parts])
        return States(memories, histories, np.concatenate([one.seen for one in parts]))


class SentenceScorer:
    """Log-probabilities of sentences, and of words one after the other."""

    def __init__(
        self,
        architecture: Architecture,
        structure: Structure,
        parameters: Parameters,
        threads: int,
        vectors: SourceVectors | None = None,
    ) -> None:
        self._vectors = vectors
        self._reader = make_reader(architecture, structure, parameters, threads)
        self._width = history_length(architecture, structure)
        self._numbers = architecture.beside

    def events(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        source: SourcePositions | None = None,
        *,
        normalised: bool = True,
    ) -> tuple[NDArray[np.float64], ScoringStatistics]:
        """See `EventScorer`. Equal sentences are read once, and so are equal beginnings.

        Different sentences are put in alphabetical order and read word by word, `SENTENCES` at a
        time; a row of the network's batch is a beginning that one or more of them have. Words with
        another vector beside them are other words.
        """
        begin = time.perf_counter()
        words = Corpus.from_words(ids, offsets).stream
        beside = self._beside(source, len(words))
        pairs, symbols = np.unique(
            beside.of * np.int64(np.iinfo(np.int32).max) + words, return_inverse=True
        )
        row_of, word_of = np.divmod(pairs, np.iinfo(np.int32).max)
        sizes = np.diff(offsets) + 1
        borders = np.concatenate([[0], np.cumsum(sizes)])
        distinct, of = group_equal(symbols.astype(np.int32), borders)
        ends = np.cumsum(sizes[distinct])
        scores = np.empty(ends[-1] if len(ends) else 0)
        ngrams = contexts = done = 0
        for first in range(0, len(distinct), SENTENCES):
            some = distinct[first : first + SENTENCES]
            tree = Beginnings(as_rows(symbols, borders, some), word_of == END_ID)
            end = int(ends[first + len(some) - 1])
            vectors = beside.vectors
            of_tree = self._score_tree(tree, word_of, row_of, vectors, normalised=normalised)
            scores[done:end] = of_tree[tree.of]
            ngrams, contexts, done = ngrams + tree.count, contexts + tree.contexts, end
        first_of = (ends - sizes[distinct])[of] - borders[:-1]
        places = np.repeat(first_of, sizes) + np.arange(len(words))
        seconds = time.perf_counter() - begin
        return scores[places], ScoringStatistics(len(places), ngrams, contexts, seconds)

    def start(self, n: int) -> States:
        """The states of n sentences after `<s>`."""
        history = np.full((n, self._width), BEGIN_ID, dtype=np.int32)
        return self._after(self._reader.empty(n), history)

    def step(
        self,
        states: States,
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
        *,
        normalised: bool = True,
    ) -> tuple[NDArray[np.float64], States]:
        """Natural-log probability (n,) of words (n,), one for each state; the states after them.

        Raises:
            InputError: no state, or more or fewer words than states.
        """
        if not len(states) == len(words) > 0:
            what = f"{len(words)} words for {len(states)} states"
            raise InputError(what, hint="give one word for each state, at least one")
        rows = np.arange(len(words))
        scores = self.score_after(states, rows, words, source, normalised=normalised)
        return scores, self.advance(states, rows, words, source)

    def score_after(
        self,
        states: States,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
        *,
        normalised: bool = True,
    ) -> NDArray[np.float64]:
        """Natural-log probability (n,) of words (n,), each after the state of its row, rising."""
        beside = self._beside(source, len(words))
        if not len(words):
            return np.zeros(0)
        those, of = group_rising(rows, beside)
        history = states.history[rows[those]]
        if self._numbers:
            seen, _ = self._read(states, rows[those], beside.vectors[beside.of[those]])
        else:
            seen = self._reader.from_arrays(((states.seen[rows[those]],),))[0][0]
        return self._reader.score([seen], history, of, words, normalised=normalised)

    def advance(
        self,
        states: States,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> States:
        """The states after words (n,), each read after the state of its row."""
        beside = self._beside(source, len(words))
        if not len(words):
            return states.take(rows)
        history = np.column_stack([states.history[rows, 1:], words]).astype(np.int32)
        if self._numbers:
            _, after = self._read(states, rows, beside.vectors[beside.of])
            return self._after(after, history)
        memories = tuple(tuple(part[rows] for part in memory) for memory in states.memories)
        return self._after(self._reader.from_arrays(memories), history)

    def _after(self, memories: Memories, history: NDArray[np.int32]) -> States:
        """The states whose last word is the last of `history`, the memories those before it."""
        seen = np.zeros((len(history), 0), dtype=np.float32)
        reader = self._reader
        if not self._numbers and len(history):
            read, memories = reader.read(memories, history[:, -1], seen)
            ((seen,),) = reader.to_arrays(((read,),))
        return States(reader.to_arrays(memories), history, seen)

    def _read(
        self, states: States, rows: NDArray[np.int64], vectors: NDArray[np.float32]
    ) -> tuple[Any, Memories]:
        """Read the last words of some states, the next ones having these vectors beside them."""
        memories = tuple(tuple(part[rows] for part in memory) for memory in states.memories)
        return self._reader.read(
            self._reader.from_arrays(memories), states.history[rows, -1], vectors
        )

    def _beside(self, source: SourcePositions | None, n: int) -> Beside:
        """What stands beside n words."""
        if self._vectors is None or source is None:
            return Beside.nothing(n)
        return self._vectors.beside(source)

    def _score_tree(
        self,
        tree: "Beginnings",
        word_of: NDArray[np.int64],
        row_of: NDArray[np.int64],
        vectors: NDArray[np.float32],
        *,
        normalised: bool,
    ) -> NDArray[np.float64]:
        """Score (count,) of the last word of each beginning."""
        reader = self._reader
        seen, histories, words, context = [], [], [], []
        memories, contexts = reader.empty(1), 0
        history = np.full((1, self._width), BEGIN_ID, dtype=np.int32)
        for parents, symbols in tree.columns():
            last, rows = word_of[symbols].astype(np.int32), row_of[symbols]
            # What is read once: the same words before, the same vector.
            pairs, of = np.unique(parents * len(vectors) + rows, return_inverse=True)
            those, vector = np.divmod(pairs, len(vectors))
            before = history[those]
            y, after = reader.read(reader.take(memories, those), before[:, -1], vectors[vector])
            seen.append(y)
            histories.append(before)
            words.append(last)
            context.append(contexts + of)
            contexts += len(those)
            going = last != END_ID
            memories = reader.take(after, of[going])
            history = np.column_stack([before[of[going], 1:], last[going]])
        return reader.score(
            seen,
            np.concatenate(histories),
            np.concatenate(context),
            np.concatenate(words),
            normalised=normalised,
        )


class Beginnings:
    """The different beginnings of sentences in alphabetical order: a tree, column by column.

    Attributes:
        count: how many there are, whole sentences with their `</s>` among them.
        contexts: how many of them go on, the empty one counted.
        of: the beginning that ends with each word, for the words of the rows one after the other.
    """

    def __init__(self, rows: NDArray[np.int64], is_end: NDArray[np.bool_]) -> None:
        """From rows (n, longest) of symbols, -1 after the last; `is_end` says which end one."""
        self._rows, self._is_end = rows, is_end
        differs = np.ones(rows.shape, dtype=bool)
        differs[1:] = np.logical_or.accumulate(rows[1:] != rows[:-1], axis=1)
        self._new = differs & (rows >= 0)  # the first row with this beginning
        counts = self._new.sum(axis=0)
        self.count = int(counts.sum())
        self.contexts = 1 + int(np.count_nonzero(self._new & ~is_end[rows]))
        numbers = np.cumsum(self._new, axis=0) - 1 + np.cumsum(counts) - counts
        self.of: NDArray[np.int64] = numbers[rows >= 0]

    def columns(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The beginnings of each length: which one each goes on from, and its last symbol.

        The former are numbers among those of the column before that go on.
        """
        parent = np.zeros(len(self._rows), dtype=np.int64)
        for column, new in zip(self._rows.T, self._new.T, strict=True):
            yield parent[new], column[new]
            parent = np.cumsum(new & ~self._is_end[column]) - 1


def group_rising(
    rows: NDArray[np.int64], beside: Beside
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first of each run of equal rows and vectors, and the run of each of `rows`."""
    new = np.diff(rows, prepend=-1) != 0
    new[1:] |= np.diff(beside.of) != 0
    return np.flatnonzero(new), np.cumsum(new) - 1


def as_rows(
    symbols: NDArray[np.int64], borders: NDArray[np.int64], sentences: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Sentences as rows of one length, -1 after the last symbol."""
    sizes = np.diff(borders)[sentences]
    columns = np.arange(sizes.max(initial=0))
    inside = columns < sizes[:, None]
    rows = np.full(inside.shape, -1, dtype=np.int64)
    rows[inside] = symbols[(borders[sentences][:, None] + columns)[inside]]
    return rows


def group_equal(
    symbols: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different sentences in the order of their symbols, and which of them each is."""
    data = symbols.astype(">u4").tobytes()  # sorts as the numbers do
    borders = (4 * offsets).tolist()
    keys = [data[a:b] for a, b in pairwise(borders)]
    first: dict[bytes, int] = {}
    for number, key in enumerate(keys):
        first.setdefault(key, number)
    ordered = sorted(first)
    place = {key: number for number, key in enumerate(ordered)}
    distinct = np.array([first[key] for key in ordered], dtype=np.int64)
    return distinct, np.array([place[key] for key in keys], dtype=np.int64)
