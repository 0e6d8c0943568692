"""Optimisation of weights on a pool of hypotheses by any tuner for n-best lists."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.steps import counted
from nlmt.tuning.folding import fold
from nlmt.tuning.mert import MertTuner, check_weights
from nlmt.tuning.pool import Pool
from nlmt.tuning.tuner import ListTuner, TunedWeights


def optimise(
    pool: Pool,
    starts: Sequence[NDArray[np.float64]],
    *,
    tuner: ListTuner[Any] | None = None,
    tuned: Collection[str] = (),
    left_out: Collection[str] = (),
    runs: int = 1,
    restarts: int = 20,
    seed: int = 1,
    threads: int = 1,
) -> TunedWeights:
    """Find weights for the pool's objective.

    Args:
        pool: the hypotheses, with their objective.
        starts: (F,) points to start from; tuners that take only one use the first.
        tuner: from `nlmt.tuning.tuners.list_tuner`; MERT if not given.
        tuned: features to tune: labels (`LM0`), kinds (`LM`: all of that kind, if any) or single
            scores (`TranslationModel0.2`). The others keep their proportions in the first start,
            and are tuned as one feature. Empty: all features.
        left_out: features whose weights are 0, named likewise.
        runs: number of optimisations with different seeds, whose weights are averaged.
        restarts: number of random starting points, for tuners that have them.
        seed: the same seed gives the same weights.
        threads: the result does not depend on it.

    Raises:
        InputError: no hypotheses, an unknown feature, weights that do not fit.
    """
    if runs < 1:
        raise InputError(f"{runs} runs", hint="at least 1")
    check_weights(pool, starts)
    if not starts:
        raise InputError("no point to start from", hint="give initial weights")
    tuner = tuner or MertTuner()
    folding = fold(pool, tuned, starts[0], left_out=left_out)
    points = [folding.shrink(start) for start in starts]
    name = f"find weights on {len(pool):,} hypotheses"
    found = [
        tuner.find(
            folding.pool,
            points,
            restarts=restarts,
            seed=seed_of_run(seed, run),
            threads=threads,
        )
        for run in counted(range(runs), name, runs if runs > 1 else 0, "runs")
    ]
    weights = normalise(folding.expand(mean_weights(found)))
    return TunedWeights(weights, pool.lists().value(weights))


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
