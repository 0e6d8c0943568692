"""Language-model scores as new features of an n-best list.

After Schwenk (PBML 93, 2010), section 2: the requests of a list are collected, so that the model
answers equal ones once and all in large bunches.
"""

import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.io.nbest import NbestList, add_features
from nlmt.io.nbest_scores import FirstOfEach, iter_scored
from nlmt.io.weights import Weights
from nlmt.lm.protocol import LanguageModel, is_aligned, is_conditioned
from nlmt.rescoring.hypotheses import Rows, rows_given_source, rows_of_words, score_rows
from nlmt.rescoring.known import KnownScores, Ragged
from nlmt.rescoring.request_counts import RequestCounts
from nlmt.steps import step
from nlmt.tuples import Sentences, encode, tuples_of_nbest

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class TupleModel:
    """A bilingual model, over the tuples of a hypothesis and its source instead of its words."""

    model: LanguageModel


def rescore(
    nbest: Path | str,
    models: Mapping[str, LanguageModel | TupleModel],
    out: Path | str,
    *,
    source: Path | str | None = None,
    weights: Weights | None = None,
    first: int | None = None,
    sort: bool = False,
    known: Path | str | None = None,
) -> dict[str, RequestCounts]:
    """Write the list at `nbest` to `out` with the score of each model as a feature.

    Args:
        nbest: a Moses n-best list.
        models: models by the label of their feature; a label that the list has is replaced.
        out: the new list, compressed if it ends in `.gz`; atomic.
        source: as in `score_nbest`.
        weights: of all features, to compute new totals; None: totals stay.
        first: number of hypotheses of each sentence to score and write, the first ones of the list;
            None: all.
        sort: order each sentence's list by its totals; holds the lines of one sentence.
        known: a list of the same source text with scores of these models, which are taken over with
            their six digits.

    Returns:
        counts of each model's requests.

    Raises:
        InputError: as in `score_nbest`; a bad label, a missing weight.
    """
    features, counts = score_nbest(nbest, models, source=source, first=first, known=known)
    with step("write the list"):
        add_features(nbest, out, features, weights=weights, first=first, sort=sort)
    return counts


def score_nbest(
    nbest: Path | str,
    models: Mapping[str, LanguageModel | TupleModel],
    *,
    source: Path | str | None = None,
    first: int | None = None,
    known: Path | str | None = None,
    known_scores: Path | str | None = None,
) -> tuple[dict[str, NDArray[np.float64]], dict[str, RequestCounts]]:
    """Score the list at `nbest` by each model.

    The scores are natural logs of whole sentences with `</s>`, as Moses writes those of its
    language models. The text in memory is bounded, however long a list is.

    Args:
        nbest: a Moses n-best list.
        models: models by the label of their feature.
        source: the text that was translated, which bilingual models need.
        first: number of hypotheses of each sentence to score, the first ones of the list; None:
            all.
        known: a list of the same source text with scores of these models, which are taken over with
            their six digits. Takes 24 bytes of memory per line and model.
        known_scores: the file of these scores (`nlmt.io.nbest_scores`); None: they are features of
            the known list.

    Returns:
        scores by label, and counts of each model's requests.

    Raises:
        InputError: a malformed list (file and line); a known list without a label; for bilingual
            models a list of another source text or, where they need them, without word alignments.
    """
    of_tuples = any(isinstance(model, TupleModel) for model in models.values())
    bilingual = of_tuples or any(is_conditioned(model) for model in models.values())
    if bilingual and source is None:
        which = "a model of tuples" if of_tuples else "a model that is conditioned on the source"
        raise InputError(f"{which} needs the source text", hint="--source TEXT")
    aligned = of_tuples or any(is_aligned(model) for model in models.values())
    sentences = encode(read_lines(source) if bilingual and source is not None else [])
    scorers = {
        label: _Scorer(model, sentences, KnownScores.of([], [])) for label, model in models.items()
    }
    scores: dict[str, list[NDArray[np.float64]]] = {label: [] for label in models}
    counts = {label: RequestCounts() for label in models}

    def blocks_of(path: Path | str, scores: Path | str | None = None) -> Iterator[NbestList]:
        return iter_scored(path, scores, keep_alignments=aligned)

    def tuples_of(block: NbestList) -> NbestList:
        return tuples_of_nbest(block, sentences) if of_tuples else block

    if known is not None:
        with step("read known scores"):
            pairs = ((block, tuples_of(block)) for block in blocks_of(known, known_scores))
            scorers = _knowing(scorers, pairs)
    with step("score", unit="hypotheses") as progress:
        selected = FirstOfEach(first)
        for block in blocks_of(nbest):
            rows = selected.rows(block)
            if not len(rows):
                continue
            tuples = tuples_of(block)
            for label, scorer in scorers.items():
                started = time.perf_counter()
                given = scorer.rows(block, tuples, rows)
                values, asked = score_rows(given, scorer.known, started)
                bad = np.flatnonzero(~np.isfinite(values))
                if bad.size:
                    raise InputError(
                        f"{label} gives no finite score to {block.text(int(rows[bad[0]]))!r}",
                        path=nbest,
                        hint="the model is damaged, or its training diverged",
                    )
                scores[label].append(values)
                counts[label] += asked
                logger.info("%s: %s", label, counts[label])
            progress.done += len(rows)
    found = {label: np.concatenate([np.zeros(0), *parts]) for label, parts in scores.items()}
    return found, counts


@dataclass(frozen=True, eq=False)
class _Scorer:
    """A model, the sentences that were translated, and the scores of another list."""

    model: LanguageModel | TupleModel
    sentences: Sentences
    known: KnownScores

    def rows(self, block: NbestList, tuples: NbestList, rows: NDArray[np.int64]) -> Rows:
        """Some hypotheses of a block as inputs of the model's scores."""
        if isinstance(self.model, TupleModel):
            return rows_of_words(tuples, self.model.model, rows)
        if is_conditioned(self.model):
            return rows_given_source(block, self.model, self.sentences, rows)
        return rows_of_words(block, self.model, rows)


def _knowing(
    scorers: Mapping[str, _Scorer], blocks: Iterable[tuple[NbestList, NbestList]]
) -> dict[str, _Scorer]:
    """The scorers, extended by the scores of a list; each block comes with its tuples."""
    rows: dict[str, list[Ragged]] = {label: [] for label in scorers}
    scores: dict[str, list[NDArray[np.float64]]] = {label: [] for label in scorers}
    for block, tuples in blocks:
        labels = [label for label, width in block.feature_names for _ in range(width)]
        columns = dict(zip(labels, block.features.T, strict=True))
        for label, scorer in scorers.items():
            if label not in columns:
                raise InputError(
                    f"no scores {label}", path=block.path, hint="rescore it with the model"
                )
            rows[label].append(scorer.rows(block, tuples, np.arange(len(block))).keys())
            scores[label].append(columns[label])
    return {
        label: replace(scorer, known=KnownScores.of(rows[label], scores[label]))
        for label, scorer in scorers.items()
    }
