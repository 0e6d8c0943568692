"""Scores of networks over sentences: equal beginnings are read once, lattices step by step."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.lm.protocol import ScoringStatistics, SourcePositions, Stepper
from nlmt.neural.score.beginnings import Beginnings, group_equal
from nlmt.neural.score.prefixes import join_rows
from nlmt.neural.score.readers import Memories, Reader, take
from nlmt.neural.score.scorer import Scorer, Scores
from nlmt.neural.source.vectors import EncodedSources, SourceEncoder, SourceVectors
from nlmt.neural.text.numbered import BEGIN_ID, END_ID, NumberedText

# Different sentences that are read at once.
SENTENCES = 1024


@dataclass(frozen=True, eq=False)
class SentenceStates:
    """A model's memory of the words so far, as arrays of n rows each.

    A model with a vector of the source beside each word reads the last word only when the next one,
    to which that vector belongs, is known.

    Attributes:
        memories: of each layer after all words, or all but the last where vectors stand beside
            them; of a transformer, its memory of all words.
        history: (n, `Reader.history`) last words.
        seen: (n, dim) input of the output layer; no columns where the last word is not yet read.
    """

    memories: Memories
    history: NDArray[np.int32]
    seen: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.history)

    def take(self, rows: NDArray[np.integer]) -> "SentenceStates":
        """Some of the rows, each any number of times."""
        return SentenceStates(take(self.memories, rows), self.history[rows], self.seen[rows])

    @staticmethod
    def join(parts: Sequence["SentenceStates"]) -> "SentenceStates":
        """The rows of several states."""
        memories = tuple(
            tuple(join_rows(same) for same in zip(*layers, strict=True))
            for layers in zip(*(one.memories for one in parts), strict=True)
        )
        histories = np.concatenate([one.history for one in parts])
        return SentenceStates(memories, histories, np.concatenate([one.seen for one in parts]))


class SentenceScorer(Scorer):
    """Log-probabilities of sentences, and of words step by step."""

    def __init__(self, reader: Reader, encoder: SourceEncoder | None) -> None:
        self._reader, self._encoder = reader, encoder

    @override
    def events(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        source: SourcePositions | None = None,
        *,
        normalised: bool = True,
    ) -> Scores:
        # Equal sentences are read once, and so are equal beginnings. Different sentences are sorted
        # and read word by word, `SENTENCES` at a time; a row of the network's batch is a beginning
        # that one or more of them share. Words with different vectors beside them count as
        # different.
        text = NumberedText.from_words(ids, offsets)
        words, borders = text.stream, text.begins
        beside = self._beside(source, len(words))
        pairs, inverse = np.unique(
            beside.of * np.int64(np.iinfo(np.int32).max) + words, return_inverse=True
        )
        row_of, word_of = np.divmod(pairs, np.iinfo(np.int32).max)
        symbols = inverse.astype(np.int32)
        sizes = np.diff(borders)
        distinct, of = group_equal(symbols, borders)
        ends = np.cumsum(sizes[distinct])
        scores = np.empty(ends[-1] if len(ends) else 0)
        ngrams = contexts = done = 0
        for first in range(0, len(distinct), SENTENCES):
            some = distinct[first : first + SENTENCES]
            tree = Beginnings(NumberedText(symbols, borders).pad(some), word_of == END_ID)
            end = int(ends[first + len(some) - 1])
            parts = tree, word_of, row_of, beside.vectors
            scores[done:end] = self._score_tree(*parts, normalised=normalised)[tree.of]
            ngrams, contexts, done = ngrams + tree.count, contexts + tree.contexts, end
        first_of = (ends - sizes[distinct])[of] - borders[:-1]
        places = np.repeat(first_of, sizes) + np.arange(len(words))
        return scores[places], ScoringStatistics(len(places), ngrams, contexts)

    @override
    def stepper(self, *, normalised: bool) -> "SentenceStepper":
        return SentenceStepper(self._reader, self._encoder, normalised=normalised)

    def _beside(self, source: SourcePositions | None, n: int) -> SourceVectors:
        """The vectors beside n words."""
        if self._encoder is None or source is None:
            return SourceVectors.nothing(n)
        return self._encoder.encode(source)

    def _score_tree(
        self,
        tree: Beginnings,
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
        history = np.full((1, reader.history), BEGIN_ID, dtype=np.int32)
        for parents, symbols in tree.columns():
            last, rows = word_of[symbols].astype(np.int32), row_of[symbols]
            # Rows with the same words before and the same vector are read once.
            pairs, of = np.unique(parents * len(vectors) + rows, return_inverse=True)
            those, vector = np.divmod(pairs, len(vectors))
            before = history[those]
            beside = SourceVectors(vectors, vector)
            y, after = reader.read(take(memories, those), before[:, -1], beside)
            seen.append(y)
            histories.append(before)
            words.append(last)
            context.append(contexts + of)
            contexts += len(those)
            going = last != END_ID
            memories = take(after, of[going])
            history = np.column_stack([before[of[going], 1:], last[going]])
        return reader.score(
            np.concatenate(seen),
            np.concatenate(histories),
            np.concatenate(context),
            np.concatenate(words),
            normalised=normalised,
        )


class SentenceStepper(Stepper[SentenceStates]):
    """Steps through sentences from their beginning, word by word."""

    def __init__(self, reader: Reader, encoder: SourceEncoder | None, *, normalised: bool) -> None:
        self._reader, self._encoder = reader, encoder
        self._normalised = normalised
        self._encoded: EncodedSources | None = None  # of the last call's sentences

    @property
    @override
    def end(self) -> int:
        return END_ID

    @override
    def start(self, n: int) -> SentenceStates:
        history = np.full((n, self._reader.history), BEGIN_ID, dtype=np.int32)
        return self._after(self._reader.empty(n), history)

    @override
    def take(self, states: SentenceStates, rows: NDArray[np.int64]) -> SentenceStates:
        return states.take(rows)

    @override
    def join(self, parts: Sequence[SentenceStates]) -> SentenceStates:
        return SentenceStates.join(parts) if len(parts) > 1 else parts[0]

    @override
    def score(
        self,
        states: SentenceStates,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> NDArray[np.float64]:
        if not len(words):
            return np.zeros(0)
        beside = self._beside(source, len(words))
        those, of = group_rising(rows, beside)
        rows = rows[those]
        if self._encoder is None:
            seen = states.seen[rows]
        else:
            seen, _ = self._read(states.take(rows), beside.take(those))
        history = states.history[rows]
        return self._reader.score(seen, history, of, words, normalised=self._normalised)

    @override
    def advance(
        self,
        states: SentenceStates,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> SentenceStates:
        before = states.take(rows)
        if not len(words):
            return before
        memories = before.memories
        if self._encoder is not None:
            _, memories = self._read(before, self._beside(source, len(words)))
        history = np.column_stack([before.history[:, 1:], words]).astype(np.int32)
        return self._after(memories, history)

    def _after(self, memories: Memories, history: NDArray[np.int32]) -> SentenceStates:
        """The states whose last word is the last of `history`; `memories` are those before it."""
        seen = np.zeros((len(history), 0), dtype=np.float32)
        if self._encoder is None and len(history):
            nothing = SourceVectors.nothing(len(history))
            seen, memories = self._reader.read(memories, history[:, -1], nothing)
        return SentenceStates(memories, history, seen)

    def _read(
        self, states: SentenceStates, beside: SourceVectors
    ) -> tuple[NDArray[np.float32], Memories]:
        """Read the last words of states, given the vectors beside the next ones."""
        return self._reader.read(states.memories, states.history[:, -1], beside)

    def _beside(self, source: SourcePositions | None, n: int) -> SourceVectors:
        """The vectors beside n words; all calls for a lattice have the same source sentences."""
        if source is None or self._encoder is None:
            return SourceVectors.nothing(n)
        if source.position.ndim > 1:  # any of many sets of linked words
            return self._encoder.encode(source)
        known = self._encoded
        if known is None or known.ids is not source.ids or known.offsets is not source.offsets:
            known = self._encoded = EncodedSources(self._encoder, source.ids, source.offsets)
        return known.at(source)


def group_rising(
    rows: NDArray[np.int64], beside: SourceVectors
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first row of each run of equal rows and vectors, and the run of each of `rows`."""
    new = np.diff(rows, prepend=-1) != 0
    new[1:] |= np.diff(beside.of) != 0
    return np.flatnonzero(new), np.cumsum(new) - 1
