"""Language-model scores as new features of an n-best list.

After Schwenk (PBML 93, 2010), section 5: the requests of a list are gathered, so that the model
answers equal ones once and the others in large bunches.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io import _nbest
from nlmt.io.files import read_lines
from nlmt.io.links import check_sentences, links_of_nbest
from nlmt.io.nbest import BLOCK_BYTES, NbestList, add_features, iter_nbest
from nlmt.lm.protocol import (
    LanguageModel,
    SourceModel,
    SourcePositions,
    is_aligned,
    is_conditioned,
)
from nlmt.neural.affiliation import affiliate
from nlmt.tuples import Sentences, encode, tuples_of_nbest

logger = logging.getLogger(__name__)


class Statistics(Protocol):
    """What a model tells of one call: n-grams and contexts that it evaluated."""

    @property
    def distinct_ngrams(self) -> int:
        """Different n-grams among the requests."""
        ...

    @property
    def distinct_contexts(self) -> int:
        """Different contexts among the requests."""
        ...


@runtime_checkable
class CountingModel(Protocol):
    """A language model that counts what it is asked."""

    def score_sentences_with_statistics(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], Statistics]:
        """As `LanguageModel.score_sentences`, and what it took."""
        ...


@runtime_checkable
class CountingSourceModel(Protocol):
    """The same of a model that is conditioned on the source."""

    def score_sentences_with_statistics(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], source: SourcePositions | None
    ) -> tuple[NDArray[np.float64], Statistics]:
        """As `SourceModel.score_sentences_given`, and what it took."""
        ...


@dataclass(frozen=True, eq=False)
class TupleModel:
    """A bilingual model: of the tuples of a hypothesis and its source, not of its words.

    Attributes:
        model: trained on what `nlmt.tuples` extracts.
    """

    model: LanguageModel


@dataclass(frozen=True)
class RequestCounts:
    """What scoring a list asked of a model; what is distinct is so within each block of the list.

    Attributes:
        hypotheses: lines of the list.
        sentences: distinct hypotheses as the model sees them, unknown words being equal.
        requests: words of all hypotheses, each with its `</s>`.
        ngrams: distinct n-grams among them; None for a model that does not tell its order.
        contexts: distinct contexts of these.
        seconds: wall time in the model, without reading and writing.
    """

    hypotheses: int = 0
    sentences: int = 0
    requests: int = 0
    ngrams: int | None = None
    contexts: int | None = None
    seconds: float = 0.0

    def __add__(self, other: "RequestCounts") -> "RequestCounts":
        """Counts of two blocks together."""
        mine, others = asdict(self), asdict(other)
        known = {name: value for name, value in mine.items() if value is not None}
        known |= {
            name: value + known.get(name, 0) for name, value in others.items() if value is not None
        }
        return RequestCounts(**known)

    def __str__(self) -> str:
        """One line for the terminal."""
        grams = (
            ""
            if self.ngrams is None
            else f"{self.ngrams:,} distinct n-grams, {self.contexts:,} distinct contexts, "
        )
        return (
            f"{self.hypotheses:,} hypotheses, {self.sentences:,} distinct, "
            f"{self.requests:,} requests, {grams}{self.seconds:.1f} s"
        )


def rescore(
    nbest: Path | str,
    models: Mapping[str, LanguageModel | TupleModel],
    out: Path | str,
    *,
    source: Path | str | None = None,
    weights: Mapping[str, Sequence[float]] | None = None,
    sort: bool = False,
    block_bytes: int = BLOCK_BYTES,
) -> dict[str, RequestCounts]:
    """Write the list at `nbest` to `out` with the score of each model as a feature.

    The scores are natural logs of whole sentences, `</s>` counted, as Moses writes those of its
    language models. Unless it sorts, memory is bounded by `block_bytes`, however long a list is.

    Args:
        nbest: a Moses n-best list.
        models: label of the feature and the model; a label that the list has is replaced.
        out: the new list, compressed if it ends in `.gz`; atomic.
        source: the text that was translated, which bilingual models need.
        weights: weights of all features, to compute the totals anew; None: they stay.
        sort: order each sentence's list by its totals; holds the lines of one sentence.
        block_bytes: how much of the list's text to hold at a time.

    Returns:
        what was asked of each model.

    Raises:
        InputError: a malformed list (file and line), a bad label, a missing weight; for bilingual
            models a list of another source text or, where they ask for them, without word
            alignments.
    """
    of_tuples = any(isinstance(model, TupleModel) for model in models.values())
    bilingual = of_tuples or any(is_conditioned(model) for model in models.values())
    if bilingual and source is None:
        which = "a model of tuples" if of_tuples else "a model that is conditioned on the source"
        raise InputError(f"{which} needs the source text", hint="--source TEXT")
    aligned = of_tuples or any(is_aligned(model) for model in models.values())
    sentences = encode(read_lines(source) if bilingual and source is not None else [])
    scores: dict[str, list[NDArray[np.float64]]] = {label: [] for label in models}
    counts = {label: RequestCounts() for label in models}
    for block in iter_nbest(
        nbest, block_bytes=block_bytes, whole_sentences=False, keep_alignments=aligned
    ):
        tuples = tuples_of_nbest(block, sentences, path=nbest) if of_tuples else block
        for label, model in models.items():
            if isinstance(model, TupleModel):
                values, asked = score_hypotheses(tuples, model.model)
            elif is_conditioned(model):
                values, asked = score_given(block, model, sentences, path=nbest)
            else:
                values, asked = score_hypotheses(block, model)
            bad = np.flatnonzero(~np.isfinite(values))
            if bad.size:
                raise InputError(
                    f"{label} gives no finite score to {block.text(int(bad[0]))!r}",
                    path=nbest,
                    hint="the model is damaged, or its training diverged",
                )
            scores[label].append(values)
            counts[label] += asked
            logger.info("%s: %s", label, counts[label])
    features = {label: np.concatenate([np.zeros(0), *parts]) for label, parts in scores.items()}
    add_features(nbest, out, features, weights=weights, sort=sort)
    return counts


def score_hypotheses(
    nbest: NbestList, model: LanguageModel
) -> tuple[NDArray[np.float64], RequestCounts]:
    """Natural-log probability (N,) of each hypothesis, equal ones scored once; what was asked."""
    started = time.perf_counter()
    ids = model.lookup(nbest.words)[nbest.ids]
    first, inverse = _nbest.distinct(ids, nbest.offsets)
    distinct_ids, distinct_offsets = _take_rows(ids, nbest.offsets, first)
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
    requests = len(ids) + len(nbest)
    return scores[inverse], RequestCounts(
        len(nbest), len(first), requests, ngrams, contexts, seconds
    )


def score_given(
    nbest: NbestList, model: SourceModel, source: Sentences, *, path: Path | str
) -> tuple[NDArray[np.float64], RequestCounts]:
    """The same given the source, by the word alignment of each hypothesis.

    Equal words are not enough for an equal score, as Luong's code has it: those are scored once
    that have one source sentence and whose words are affiliated with the same words of it.

    Args:
        nbest: read with its alignments, if the model asks for them.
        model: conditioned on the source.
        source: the text that was translated.
        path: the list, for messages.

    Raises:
        InputError: as `nlmt.io.links.links_of_nbest`.
    """
    started = time.perf_counter()
    ids = model.lookup(nbest.words)[nbest.ids]
    position = _positions(nbest, model, source, path)
    begins = nbest.offsets + np.arange(len(nbest.offsets))
    first, inverse = _nbest.distinct(*_keys(ids, nbest.offsets, position, begins, nbest.sentence))
    distinct_ids, distinct_offsets = _take_rows(ids, nbest.offsets, first)
    distinct_position, distinct_begins = _take_rows(position, begins, first)
    of = np.repeat(nbest.sentence[first], np.diff(distinct_begins))
    source_ids = model.lookup_source(source.words)[source.ids]
    places = SourcePositions(source_ids, source.offsets, of, distinct_position)
    ngrams = contexts = None
    if isinstance(model, CountingSourceModel):
        text = distinct_ids, distinct_offsets, places
        scores, asked = model.score_sentences_with_statistics(*text)
        ngrams, contexts = asked.distinct_ngrams, asked.distinct_contexts
    else:
        scores = model.score_sentences_given(distinct_ids, distinct_offsets, places)
    seconds = time.perf_counter() - started
    requests = len(ids) + len(nbest)
    return scores[inverse], RequestCounts(
        len(nbest), len(first), requests, ngrams, contexts, seconds
    )


def _positions(
    nbest: NbestList, model: SourceModel, source: Sentences, path: Path | str
) -> NDArray[np.int32]:
    """Where each word and `</s>` belongs in the source; 0 for a model that does not ask."""
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
    """Rows of all that a score hangs on: source sentence, positions, words."""
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
    """The named rows of a ragged array, one after the other."""
    lengths = np.diff(offsets)[rows]
    new_offsets = np.concatenate(([0], np.cumsum(lengths)))
    shifts = np.repeat(offsets[rows] - new_offsets[:-1], lengths)
    return ids[np.arange(new_offsets[-1]) + shifts], new_offsets
