"""Scores of the hypotheses of an n-best list, equal ones scored once."""

import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.io import _nbest
from nlmt.io.affiliation import affiliate
from nlmt.io.links import check_sentences, links_of_nbest
from nlmt.io.nbest import NbestList
from nlmt.lm.protocol import LanguageModel, SourceModel, SourcePositions
from nlmt.rescoring.requests import CountingModel, CountingSourceModel, RequestCounts
from nlmt.tuples import Sentences
from nlmt.vocabulary import UNKNOWN


def score_hypotheses(
    nbest: NbestList, model: LanguageModel, rows: NDArray[np.int64]
) -> tuple[NDArray[np.float64], RequestCounts]:
    """Score some hypotheses.

    Args:
        nbest: all or a block of a list.
        model: not conditioned on the source.
        rows: (n,) hypotheses to score, rising.

    Returns:
        (n,) natural-log probabilities, and what was asked of the model.
    """
    started = time.perf_counter()
    ids, offsets = _take_rows(model.lookup(nbest.words)[nbest.ids], nbest.offsets, rows)
    first, inverse = _nbest.distinct(ids, offsets)
    distinct_ids, distinct_offsets = _take_rows(ids, offsets, first)
    ngrams = contexts = None
    if isinstance(model, CountingModel):
        scores, asked = model.score_sentences_with_statistics(distinct_ids, distinct_offsets)
        ngrams, contexts = asked.distinct_ngrams, asked.distinct_contexts
        seconds = time.perf_counter() - started
    else:
        scores = model.score_sentences(distinct_ids, distinct_offsets)
        seconds = time.perf_counter() - started
        # A model of the whole history has no order, and as many contexts as words.
        order = getattr(model, "order", None)
        if order is not None:
            ngrams, contexts = _nbest.count_ngrams(distinct_ids, distinct_offsets, order)
    requests, unknown = len(ids) + len(rows), _count_unknown(model, ids)
    return scores[inverse], RequestCounts(
        len(rows), len(first), requests, ngrams, contexts, unknown, seconds
    )


def score_given(
    nbest: NbestList,
    model: SourceModel,
    source: Sentences,
    rows: NDArray[np.int64],
    *,
    path: Path | str,
) -> tuple[NDArray[np.float64], RequestCounts]:
    """Score some hypotheses given their source, by the word alignment of each.

    Hypotheses of equal words may have different scores (unlike in Luong's code): those are scored
    once that have the same source sentence and whose words are affiliated with the same words of
    it.

    Args:
        nbest: read with its alignments, if the model asks for them.
        model: conditioned on the source.
        source: the text that was translated.
        rows: (n,) hypotheses to score, rising.
        path: the list, for messages.

    Returns:
        (n,) natural-log probabilities, and what was asked of the model.

    Raises:
        InputError: as `nlmt.io.links.links_of_nbest`.
    """
    started = time.perf_counter()
    ids, offsets = _take_rows(model.lookup(nbest.words)[nbest.ids], nbest.offsets, rows)
    position, begins = _take_rows(
        _positions(nbest, model, source, path),
        nbest.offsets + np.arange(len(nbest.offsets)),
        rows,
    )
    sentence = nbest.sentence[rows]
    first, inverse = _nbest.distinct(*_keys(ids, offsets, position, begins, sentence))
    distinct_ids, distinct_offsets = _take_rows(ids, offsets, first)
    distinct_position, distinct_begins = _take_rows(position, begins, first)
    of = np.repeat(sentence[first], np.diff(distinct_begins))
    source_ids = model.lookup_source(source.words)[source.ids]
    positions = SourcePositions(source_ids, source.offsets, of, distinct_position)
    ngrams = contexts = None
    if isinstance(model, CountingSourceModel):
        text = distinct_ids, distinct_offsets, positions
        scores, asked = model.score_sentences_with_statistics(*text)
        ngrams, contexts = asked.distinct_ngrams, asked.distinct_contexts
    else:
        scores = model.score_sentences_given(distinct_ids, distinct_offsets, positions)
    seconds = time.perf_counter() - started
    requests, unknown = len(ids) + len(rows), _count_unknown(model, ids)
    return scores[inverse], RequestCounts(
        len(rows), len(first), requests, ngrams, contexts, unknown, seconds
    )


def _count_unknown(model: LanguageModel, ids: NDArray[np.int32]) -> int:
    return int(np.count_nonzero(ids == model.lookup([UNKNOWN])[0]))


def _positions(
    nbest: NbestList, model: SourceModel, source: Sentences, path: Path | str
) -> NDArray[np.int32]:
    """Position in the source of each word and `</s>`; 0 where the model needs no alignment."""
    if not model.needs_alignment:
        check_sentences(nbest, len(source.lengths), path=path)
        return np.zeros(len(nbest.ids) + len(nbest), dtype=np.int32)
    links = links_of_nbest(nbest, source.lengths, path=path)
    return affiliate(links, source.lengths[nbest.sentence], np.diff(nbest.offsets))


def _keys(
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    position: NDArray[np.int32],
    begins: NDArray[np.int64],
    sentence: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Rows of all that a score depends on: positions, source sentence, words."""
    ends = offsets + begins + np.arange(len(offsets))
    row = np.empty(ends[-1], np.int32)
    of_position = np.ones(len(row), dtype=bool)
    of_position[ends[:-1]] = False
    shifts = np.repeat(ends[:-1] + np.diff(begins) + 1 - offsets[:-1], np.diff(offsets))
    of_position[np.arange(len(ids)) + shifts] = False
    row[of_position] = position
    row[ends[:-1]] = sentence
    row[np.arange(len(ids)) + shifts] = ids
    return row, ends


def _take_rows(
    ids: NDArray[np.int32], offsets: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Distinct rows of a ragged array, in rising order, one after the other."""
    if len(rows) == len(offsets) - 1:
        return ids, offsets
    lengths = np.diff(offsets)[rows]
    new_offsets = np.concatenate(([0], np.cumsum(lengths)))
    shifts = np.repeat(offsets[rows] - new_offsets[:-1], lengths)
    return ids[np.arange(new_offsets[-1]) + shifts], new_offsets
