"""Scores of the hypotheses of an n-best list, equal ones scored once."""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

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


@dataclass(frozen=True, eq=False)
class Rows:
    """Hypotheses as inputs of a model's scores.

    Attributes:
        model: that scores them.
        words: their words as it numbers them, hypothesis by hypothesis.
    """

    model: LanguageModel
    words: Ragged

    def keys(self) -> Ragged:
        """One row for each hypothesis, of all that its score depends on."""
        return self.words

    def source(self, rows: NDArray[np.int64]) -> SourcePositions | None:
        """The positions of some hypotheses, by their rising rows, in the source, if any is seen."""
        return None


@dataclass(frozen=True, eq=False)
class GivenRows(Rows):
    """Hypotheses as inputs of scores given their source.

    Hypotheses of equal words may have different scores (unlike in Luong's code): only those are
    equal that have the same source sentence and whose words are affiliated, or linked, with the
    same words of it.

    Attributes:
        positions: in the source, of each word and `</s>`; each has `width` of them.
        sentence: (n,) number of the source sentence.
        width: number of positions of a word; 0 if each has one, of the affiliated word.
        sources: words of all source sentences as the model numbers them.
    """

    positions: Ragged
    sentence: NDArray[np.int32]
    width: int
    sources: Ragged

    @override
    def keys(self) -> Ragged:
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

    @override
    def source(self, rows: NDArray[np.int64]) -> SourcePositions:
        lengths = np.diff(self.words[1])[rows] + 1
        of, positions = np.repeat(self.sentence[rows], lengths), take_rows(*self.positions, rows)[0]
        if self.width:
            positions = positions.reshape(-1, self.width)
        return SourcePositions(*self.sources, of, positions)


def rows_of_words(nbest: NbestList, model: LanguageModel, rows: NDArray[np.int64]) -> Rows:
    """Some hypotheses for a model that is not conditioned on the source; `rows` (n,) are rising."""
    return Rows(model, take_rows(model.lookup(nbest.words)[nbest.ids], nbest.offsets, rows))


def rows_given_source(
    nbest: NbestList, model: SourceModel, source: Sentences, rows: NDArray[np.int64]
) -> GivenRows:
    """Some hypotheses for a model that is conditioned on the source; `rows` (n,) are rising.

    The list is read with its alignments, if the model asks for them.
    """
    words = rows_of_words(nbest, model, rows).words
    width = linked_words(model)
    begins = (nbest.offsets + np.arange(len(nbest.offsets))) * max(width, 1)
    positions = take_rows(_positions(nbest, model, source).ravel(), begins, rows)
    sources = model.lookup_source(source.words)[source.ids], source.offsets
    return GivenRows(model, words, positions, nbest.sentence[rows], width, sources)


def score_rows(
    rows: Rows, known: KnownScores, started: float
) -> tuple[NDArray[np.float64], RequestCounts]:
    """Natural-log probabilities (n,) of hypotheses, equal ones scored once; counts of requests.

    `known` are scores by keys; the time is counted from `started` on, by `time.perf_counter`.
    """
    model, words, keys = rows.model, rows.words, rows.keys()
    first, inverse = _nbest.distinct(*keys)
    scores, asked = known.find(take_rows(*keys, first))
    part, source = take_rows(*words, first[asked]), rows.source(first[asked])
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
    model: LanguageModel, words: Ragged, source: SourcePositions | None
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
