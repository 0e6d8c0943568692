"""Minimum error rate training (Och 2003): find weights by exact line searches.

Along a line through the space of weights, the objective changes only where another hypothesis
overtakes the best one of its sentence, and all these points are found exactly. Searches along such
lines start from given and from random points.
"""

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.tuning.pool import Pool
from nlmt.tuning.tuner import ListTuner, NoOptions, TunedWeights


class MertTuner(ListTuner[NoOptions]):
    """MERT on n-best lists."""

    summary = "exact line searches from given and random points (Och 2003)"
    restarts = True
    exact = True

    @override
    def find(
        self,
        pool: Pool,
        starts: Sequence[NDArray[np.float64]],
        *,
        restarts: int,
        seed: int,
        threads: int,
    ) -> NDArray[np.float64]:
        return mert(pool, starts, restarts=restarts, seed=seed, threads=threads).weights


def mert(
    pool: Pool,
    starts: Sequence[NDArray[np.float64]],
    *,
    restarts: int = 20,
    seed: int = 1,
    lower: NDArray[np.float64] | None = None,
    upper: NDArray[np.float64] | None = None,
    threads: int = 1,
) -> TunedWeights:
    """Tune weights on n-best lists.

    Args:
        pool: the hypotheses.
        starts: (F,) points to start from.
        restarts: number of additional random starting points.
        seed: the same seed gives the same weights.
        lower: (F,) lower bound of the uniform random points, 0 if not given.
        upper: (F,) their upper bound, 1 if not given; the weights found may lie outside.
        threads: the result does not depend on it.

    Raises:
        InputError: no hypotheses, a wrong number of weights, a start of only zeros, no start.
    """
    width = pool.features.shape[1]
    low = np.zeros(width) if lower is None else np.asarray(lower, np.float64)
    high = np.ones(width) if upper is None else np.asarray(upper, np.float64)
    check_weights(pool, [low, high, *starts])
    if (low > high).any():
        raise InputError(
            f"the lower bound of weight {int(np.argmax(low > high))} is above the upper one"
        )
    uniform = random.Random(seed).random  # noqa: S311 - no secret; the stream is the same everywhere
    drawn = [low + (high - low) * [uniform() for _ in range(width)] for _ in range(restarts)]
    points = [point for point in (*starts, *drawn) if point.any()]
    if not points:
        raise InputError("no point to start from", hint="give initial weights that are not all 0")
    weights, value = pool.lists().optimise(np.array(points, np.float64), seed, max(threads, 1))
    return TunedWeights(weights, value)


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
