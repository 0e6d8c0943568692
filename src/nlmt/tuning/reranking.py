"""Weights for reranking: optimised once over rescored n-best lists or lattices."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.lattice import tunable_features
from nlmt.io.nbest import NbestList, flatten_weights
from nlmt.io.nbest_order import with_order
from nlmt.io.weights import Weights, name_weights
from nlmt.steps import step
from nlmt.tuning.optimise import optimise
from nlmt.tuning.outcome import NO_GAIN, Outcome, outcome_on_pool
from nlmt.tuning.pool import Pool
from nlmt.tuning.settings import TunerSettings
from nlmt.tuning.tuner import Lattices, LatticeTuner, ListTuner, Search, TunedWeights
from nlmt.tuning.tuners import list_tuner, names_for

logger = logging.getLogger(__name__)


def tune_reranking(
    nbests: Sequence[NbestList],
    references: Sequence[Sequence[str]],
    initial: Weights,
    settings: TunerSettings,
    *,
    seed: int = 1,
    threads: int = 1,
) -> tuple[dict[str, list[float]], Outcome]:
    """Tune the weights of the lists' features, including new ones.

    Starts from the decoder's weights with 0 and with the mean magnitude for features that it lacks,
    so that on these lists a run of MERT is at least as good as the decoder's own ranking. Where the
    features of `settings.tuned` alone gain nothing over these weights, all are tuned.

    Args:
        nbests: one or more lists of the same sentences, whose numbers count the lines of the
            references from 0; they are merged.
        references: one or more sets of lines.
        initial: the weights with which the list was decoded.
        settings: of tuning; the method must be for n-best lists. Features that `initial` lacks are
            always tuned.
        seed: the same seed gives the same weights.
        threads: the result does not depend on it.

    Returns:
        weights by label, and the outcome for the lists' best hypotheses with them and with
        `initial`.

    Raises:
        InputError: no hypotheses, a sentence without reference, weights or options that do not fit.
    """
    tuner = list_tuner(settings.method, settings.options.get(settings.method))
    search = settings.search(seed=seed, threads=threads)
    pool = _merge_lists(nbests, references, search)
    _warn_of_missing(pool, len(references[0]))
    starts = starting_points(pool.names, initial, path=nbests[0].path)
    found = _optimise(pool, starts, tuner, _with_new(search, pool.names, initial))
    return name_weights(pool.names, found.weights), _report(pool, starts[0], found)


def tune_on_lattices(
    lattices: Lattices,
    references: Sequence[Sequence[str]],
    initial: Weights,
    settings: TunerSettings,
    *,
    seed: int = 1,
    threads: int = 1,
) -> tuple[dict[str, list[float]], Outcome]:
    """Tune the weights of the lattices' features.

    Args:
        lattices: one for each sentence, from rescoring or from the decoder.
        references: one or more sets of lines.
        initial: weights to start from; features that they lack start as in `tune_reranking`.
        settings: of tuning; the method must be for lattices. Features that `initial` lacks are
            always tuned.
        seed: the same seed gives the same weights.
        threads: the result does not depend on it.

    Returns:
        weights by label, and the outcome for the lattices' best paths with them and with `initial`.

    Raises:
        InputError: as in `LatticeTuner.find`, or a method for n-best lists.
    """
    tuner = settings.tuner()
    if not isinstance(tuner, LatticeTuner):
        hint = f"allowed: {', '.join(names_for(LatticeTuner))}"
        raise InputError(f"{settings.method} does not work on lattices", hint=hint)
    first = next(iter(lattices), None)
    names = tunable_features(first.feature_names) if first else []
    starts = starting_points(names, initial)
    search = _with_new(settings.search(seed=seed, threads=threads), names, initial)
    with step("find weights on lattices"):
        found, pool = tuner.find(lattices, references, starts, search)
    return name_weights(names, found.weights), _report(pool, starts[0], found)


def starting_points(
    names: Sequence[tuple[str, int]],
    initial: Weights,
    *,
    path: Path | str | None = None,
) -> list[NDArray[np.float64]]:
    """The given weights, with 0 and with their mean magnitude for features that they lack.

    Raises:
        InputError: the number of weights is not that of values; names the list at `path`.
    """
    known = [value for label, _ in names for value in initial.get(label, ())]
    mean = float(np.abs(known).mean()) if known else 1.0
    starts = []
    for fill in (0.0, mean) if any(known) else (1.0,):
        new = {label: [fill] * width for label, width in names}
        starts.append(flatten_weights(names, {**new, **initial}, path=path))
    return starts


def _optimise(
    pool: Pool, starts: Sequence[NDArray[np.float64]], tuner: ListTuner[Any], search: Search
) -> TunedWeights:
    """Weights of the features to tune, or of all where these alone gain nothing."""
    found = optimise(pool, starts, tuner, search)
    if not search.tuned or found.value > pool.lists().value(starts[0]) + NO_GAIN / 100:
        return found
    logger.info("tuning of %s gained nothing: all features are tuned", ", ".join(search.tuned))
    every = optimise(pool, starts, tuner, replace(search, tuned=()))
    return max(found, every, key=lambda tuned: tuned.value)


def _with_new(search: Search, names: Sequence[tuple[str, int]], initial: Weights) -> Search:
    """The search that also tunes new features, which have no proportion to keep."""
    if not search.tuned or not initial:
        return search
    new = [label for label, _ in names if label not in initial]
    return replace(search, tuned=(*search.tuned, *new))


def _merge_lists(
    nbests: Sequence[NbestList], references: Sequence[Sequence[str]], search: Search
) -> Pool:
    """The hypotheses of all lists, which must have the same features."""
    nbests = [with_order(nbest, nbests[0]) for nbest in nbests]
    for nbest in nbests:
        if not len(nbest):
            raise InputError("a list without hypotheses", path=nbest.path)
    first, *others = [search.pool(nbest, references) for nbest in nbests]
    return first.merge(others) if others else first


def _report(pool: Pool, initial: NDArray[np.float64], found: TunedWeights) -> Outcome:
    """The outcome on the pool; logs its warnings."""
    outcome = outcome_on_pool(pool, initial, found.weights)
    for warning in outcome.warnings:
        logger.warning(warning)
    return outcome


def _warn_of_missing(pool: Pool, sentences: int) -> None:
    missing = np.setdiff1d(np.arange(sentences), pool.sentence)
    if missing.size:
        logger.warning(
            "no hypotheses for %d of %d sentences, the first of them sentence %d: they are ignored",
            len(missing),
            sentences,
            missing[0],
        )
