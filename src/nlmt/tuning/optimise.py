"""Optimisation of weights on a pool of hypotheses by any tuner for n-best lists."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.steps import counted
from nlmt.tuning.folding import fold
from nlmt.tuning.pool import Pool
from nlmt.tuning.tuner import ListTuner, Search, TunedWeights


def optimise(
    pool: Pool,
    starts: Sequence[NDArray[np.float64]],
    tuner: ListTuner[Any],
    search: Search,
) -> TunedWeights:
    """Find weights for the pool's objective.

    Tuners that take only one of the starting points (F,) use the first.

    Raises:
        InputError: no hypotheses, an unknown feature, weights that do not fit.
    """
    if search.runs < 1:
        raise InputError(f"{search.runs} runs", hint="at least 1")
    check_weights(pool, starts)
    if not starts:
        raise InputError("no point to start from", hint="give initial weights")
    folding = fold(pool, search.tuned, starts[0], left_out=search.left_out)
    points = [folding.shrink(start) for start in starts]
    name = f"find weights on {len(pool):,} hypotheses"
    count = search.runs if search.runs > 1 else 0
    found = [
        tuner.find(folding.pool, points, replace(search, seed=seed_of_run(search.seed, run)))
        for run in counted(range(search.runs), name, count, "runs")
    ]
    weights = normalise(folding.expand(mean_weights(found)))
    return TunedWeights(weights, pool.lists().value(weights))


def check_weights(pool: Pool, points: Sequence[NDArray[np.float64]]) -> None:
    """Raise InputError if there are no hypotheses to tune on, or a point does not fit the pool."""
    if len(pool) == 0:
        raise InputError("no hypotheses to tune on")
    width = pool.features.shape[1]
    for point in points:
        if point.shape != (width,):
            raise InputError(f"{len(point)} weights, but the hypotheses have {width} features")
        if not np.isfinite(point).all():
            raise InputError("a weight is not a finite number")


def mean_weights(runs: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Mean (F,) of weights, each normalised first, as only proportions matter."""
    return normalise(np.mean([normalise(weights) for weights in runs], axis=0))


def normalise(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights (F,) scaled so that their magnitudes sum to 1; all zeros stay."""
    total = np.abs(weights).sum()
    # Weights that are normalised up to rounding stay: normalising twice changes no bit.
    return weights / total if total > 0 and abs(total - 1) > 1e-12 else weights


def seed_of_run(seed: int, run: int) -> int:
    """The seed of a run: `seed` for the first; runs of consecutive seeds share none."""
    return seed if run == 0 else int(np.random.SeedSequence([seed, run]).generate_state(1)[0])
