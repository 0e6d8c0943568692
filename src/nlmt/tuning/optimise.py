"""One face for all ways to find weights on a pool of hypotheses."""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.tuning.folding import fold
from nlmt.tuning.mert import Tuned, check_weights, mert
from nlmt.tuning.mira import mira
from nlmt.tuning.pool import Pool
from nlmt.tuning.pro import pro
from nlmt.tuning.trust_region import maximise

METHODS = ("mert", "pro", "mira", "trust-region")

_EVALUATIONS = 60  # of the derivative-free search, for each weight


def optimise(
    pool: Pool,
    starts: Sequence[NDArray[np.float64]],
    *,
    method: str = "mert",
    tuned: Collection[str] = (),
    runs: int = 1,
    restarts: int = 20,
    seed: int = 1,
    threads: int = 1,
) -> Tuned:
    """Find weights for the pool's objective.

    Args:
        pool: the hypotheses; they say what the objective is.
        starts: (F,) points to start from; the first is what methods start from that take one.
        method: `mert` (Och 2003), `pro` (Hopkins and May 2011), `mira` (Cherry and Foster 2012) or
            `trust-region` (derivative-free, by quadratic models).
        tuned: features to tune, labels (`LM0`) or kinds (`LM`: all of that kind, if any). The
            others keep the proportions that they have in the first start, and are tuned as one
            feature. Empty: all features.
        runs: number of optimisations, with seeds of their own; the result is the mean of their
            weights.
        restarts: random starting points of MERT.
        seed: the same seed gives the same weights.
        threads: the result does not depend on it.

    Raises:
        InputError: no hypotheses, an unknown method or label, weights that do not fit.
    """
    if method not in METHODS:
        raise InputError(f"unknown method {method!r}", hint="one of " + ", ".join(METHODS))
    if runs < 1:
        raise InputError(f"{runs} runs", hint="at least 1")
    check_weights(pool, starts)
    if not starts:
        raise InputError("nowhere to start", hint="give initial weights")
    folding = fold(pool, tuned, starts[0])
    points = [folding.shrink(start) for start in starts]
    found = [
        _run(folding.pool, points, method, restarts, _seed_of_run(seed, run), threads)
        for run in range(runs)
    ]
    weights = normalise(folding.expand(mean_weights(found)))
    return Tuned(weights, pool.lists().value(weights))


def mean_weights(runs: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """(F,) mean of weights, each run's magnitudes summing to 1 first: only proportions matter."""
    return normalise(np.mean([normalise(weights) for weights in runs], axis=0))


def normalise(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same weights with magnitudes that sum to 1; zeros stay."""
    total = np.abs(weights).sum()
    # What is so but for rounding stays as it is: normalising twice changes no bit.
    return weights / total if total > 0 and abs(total - 1) > 1e-12 else weights


def _run(
    pool: Pool,
    starts: Sequence[NDArray[np.float64]],
    method: str,
    restarts: int,
    seed: int,
    threads: int,
) -> NDArray[np.float64]:
    if method == "mert":
        return mert(pool, starts, restarts=restarts, seed=seed, threads=threads).weights
    if method == "pro":
        weights = pro(pool, seed=seed)
        return weights if weights.any() else starts[0]
    if method == "mira":
        return mira(pool, starts[0], seed=seed)
    return _trust_region(pool, starts)


def _trust_region(pool: Pool, starts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The best that searches from all starts find; of equals the first."""
    lists = pool.lists()
    # A step along a feature that differs much between hypotheses must be short.
    spread = feature_spreads(pool, pool.features)
    lengths = np.where(spread > 0, 1 / np.maximum(spread, 1e-12), 0.0)
    lengths /= max(lengths.sum(), 1e-12)
    best, highest = starts[0], -np.inf
    for start in starts:
        scale = lengths * (np.abs(start).sum() or 1.0)
        evaluations = _EVALUATIONS * (len(start) + 1)
        weights, value = maximise(lists.value, start, scale=scale, evaluations=evaluations)
        if value > highest:
            best, highest = weights, value
    return best


def feature_spreads(pool: Pool, features: NDArray[np.float64]) -> NDArray[np.float64]:
    """(F,) mean distance between the extremes of each (N, F) feature within a sentence."""
    starts = pool.offsets()[:-1]
    distances = np.maximum.reduceat(features, starts) - np.minimum.reduceat(features, starts)
    return np.asarray(distances.mean(axis=0))


def _seed_of_run(seed: int, run: int) -> int:
    """The seed itself for the first run; runs of neighbouring seeds have no seed in common."""
    return seed if run == 0 else int(np.random.SeedSequence([seed, run]).generate_state(1)[0])
