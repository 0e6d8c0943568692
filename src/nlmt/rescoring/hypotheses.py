"""Scores of the hypotheses of an n-best list, equal ones scored once."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmt.io import _nbest
from nlmt.io.affiliation import affiliate
from nlmt.io.links import check_sentences, links_of_nbest
from nlmt.io.nbest import NbestList, take_rows
from nlmt.lm.protocol import (
    LanguageModel,
    SourceModel,
    SourcePositions,
    is_conditioned,
    linked_words,
)
from nlmt.rescoring.known import KnownScores, Ragged
from nlmt.rescoring.request_counts import CountingModel, RequestCounts
from nlmt.tuples import Sentences
from nlmt.vocabulary import UNKNOWN


def rows_of_words(nbest: NbestList, model: LanguageModel, rows: NDArray[np.int64]) -> Ragged:
    """The words of some hypotheses as a model numbers them; `rows` (n,) are rising.

    Of a model that is not conditioned on the source they are the inputs of its scores.
    """
    return take_rows(model.lookup(nbest.words)[nbest.ids], nbest.offsets, rows)


def score_hypotheses(
    nbest: NbestList,
    model: LanguageModel,
    rows: NDArray[np.int64],
    known: KnownScores,
) -> tuple[NDArray[np.float64], RequestCounts]:
    """Natural-log probabilities (n,) of some hypotheses, and counts of the requests.

    `known` are scores that need not be computed, for rows of `rows_of_words`.
    """
    started = time.perf_counter()
    words = rows_of_words(nbest, model, rows)
    return _score(model, words, words, known, started)


@dataclass(frozen=True, eq=False)
class GivenRows:
    """The inputs of scores of hypotheses given their source.

    Attributes:
        words: ids of the words, hypothesis by hypothesis.
        positions: in the source, of each word and `</s>`; each has `width` of them.
        sentence: (n,) number of the source sentence.
        width: number of positions of a word; 0 if each has one, of the affiliated word.
    """

    words: Ragged
    positions: Ragged
    sentence: NDArray[np.int32]
    width: int

    def source(
        self, rows: NDArray[np.int64], ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> SourcePositions:
        """The positions of some hypotheses, by their rising rows, in the source sentences."""
        lengths = np.diff(self.words[1])[rows] + 1
        of, positions = np.repeat(self.sentence[rows], lengths), take_rows(*self.positions, rows)[0]
        if self.width:
            positions = positions.reshape(-1, self.width)
        return SourcePositions(ids, offsets, of, positions)

    def joined(self) -> Ragged:
        """One row for each hypothesis: positions, source sentence, words."""
        (ids, offsets), (position, begins) = self.words, self.positions
        ends = offsets + begins + np.arange(len(offsets))
        row = np.empty(ends[-1], np.int32)
        of_position = np.ones(len(row), dtype=bool)
        of_position[ends[:-1]] = False
        shifts = np.repeat(ends[:-1] + np.diff(begins) + 1 - offsets[:-1], np.diff(offsets))
        of_position[np.arange(len(ids)) + shifts] = False
        row[of_position] = position
        row[ends[:-1]] = self.sentence
        row[np.arange(len(ids)) + shifts] = ids
        return row, ends


def rows_given_source(
    nbest: NbestList, model: SourceModel, source: Sentences, rows: NDArray[np.int64]
) -> GivenRows:
    """The inputs of the scores of some hypotheses; arguments as in `score_given`."""
    words = rows_of_words(nbest, model, rows)
    width = linked_words(model)
    begins = (nbest.offsets + np.arange(len(nbest.offsets))) * max(width, 1)
    positions = take_rows(_positions(nbest, model, source).ravel(), begins, rows)
    return GivenRows(words, positions, nbest.sentence[rows], width)


def score_given(
    nbest: NbestList,
    model: SourceModel,
    source: Sentences,
    rows: NDArray[np.int64],
    known: KnownScores,
) -> tuple[NDArray[np.float64], RequestCounts]:
    """Scores of some hypotheses given their source and word alignments, and counts of requests.

    Hypotheses of equal words may have different scores (unlike in Luong's code): only those are
    scored once that have the same source sentence and whose words are affiliated, or linked, with
    the same words of it.

    The list is read with its alignments, if the model asks for them; `rows` (n,) are rising.
    `known` are scores that need not be computed, by `rows_given_source`.

    Raises:
        InputError: as `nlmt.io.links.links_of_nbest`.
    """
    started = time.perf_counter()
    given = rows_given_source(nbest, model, source, rows)

    def positions(asked: NDArray[np.int64]) -> SourcePositions:
        return given.source(asked, model.lookup_source(source.words)[source.ids], source.offsets)

    return _score(model, given.words, given.joined(), known, started, positions)


def _score(
    model: LanguageModel,
    words: Ragged,
    keys: Ragged,
    known: KnownScores,
    started: float,
    positions: Callable[[NDArray[np.int64]], SourcePositions] | None = None,
) -> tuple[NDArray[np.float64], RequestCounts]:
    """Score words, once for equal `keys`; `positions` gives those of some rows in the source."""
    first, inverse = _nbest.distinct(*keys)
    scores, asked = known.find(take_rows(*keys, first))
    part = take_rows(*words, first[asked])
    source = None if positions is None else positions(first[asked])
    scores[asked], ngrams, contexts = _ask(model, part, source)
    seconds = time.perf_counter() - started
    # A model of the whole history has no order, and as many contexts as words.
    order = getattr(model, "order", None)
    if source is None and ngrams is None and order is not None:
        ngrams, contexts = _nbest.count_ngrams(*part, order)
    taken, requests = len(first) - len(asked), len(words[0]) + len(inverse)
    unknown = int(np.count_nonzero(words[0] == model.lookup([UNKNOWN])[0]))
    return scores[inverse], RequestCounts(
        len(inverse), len(first), taken, requests, ngrams, contexts, unknown, seconds
    )


def _ask(
    model: LanguageModel, words: Ragged, source: SourcePositions | None = None
) -> tuple[NDArray[np.float64], int | None, int | None]:
    """Scores of sentences, and the numbers of n-grams and contexts, if the model counts them."""
    if len(words[1]) == 1:
        return np.zeros(0), None, None  # models need not take an empty text
    if isinstance(model, CountingModel):
        scores, counts = model.score_sentences_with_statistics(*words, source)
        return scores, counts.distinct_ngrams, counts.distinct_contexts
    if source is None:
        return model.score_sentences(*words), None, None
    assert is_conditioned(model)
    return model.score_sentences_given(*words, source), None, None


def _positions(nbest: NbestList, model: SourceModel, source: Sentences) -> NDArray[np.int32]:
    """Position in the source of each word and `</s>`; 0 where the model needs no alignment."""
    if not model.needs_alignment:
        check_sentences(nbest, len(source.lengths))
        return np.zeros(len(nbest.ids) + len(nbest), dtype=np.int32)
    links = links_of_nbest(nbest, source.lengths)
    lengths = source.lengths[nbest.sentence], np.diff(nbest.offsets)
    return affiliate(links, *lengths, linked_words(model))
