"""Minimum error rate training (Och 2003): find weights by exact line searches.

Along a line through the space of weights, the objective changes only where another hypothesis
overtakes the best one of its sentence, and all these points are found exactly. Searches along such
lines start from given and from random points.

On lattices (Macherey et al. 2008), only few of all paths ever win along a line, and they are found
exactly, however many paths there are. They become a pool for n-best MERT; lines through the weights
that it finds reveal further paths, until it foresees no gain over the actual value of the last
weights. Then the pool has all the winning paths along these lines.
"""

import random
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.settings import NoOptions, Settings, setting
from nlmt.tuning.feature_names import Names, divide
from nlmt.tuning.lattice_paths import check_starts, common_features, winning_paths
from nlmt.tuning.optimise import check_weights, normalise, optimise
from nlmt.tuning.pool import Pool
from nlmt.tuning.tuner import Lattices, LatticeTuner, ListTuner, Search, TunedWeights

# Of the objective: the search ends if the foreseen gain is smaller.
_GAIN = 1e-5


class MertTuner(ListTuner[NoOptions]):
    """MERT on n-best lists."""

    summary = "exact line searches from given and random points (Och 2003)"
    exact = True

    @override
    def find(
        self, pool: Pool, starts: Sequence[NDArray[np.float64]], search: Search
    ) -> NDArray[np.float64]:
        return mert(
            pool, starts, restarts=search.restarts, seed=search.seed, threads=search.threads
        ).weights


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


class LatticeMertOptions(Settings):
    """Options of lattice MERT."""

    rounds: int = setting(
        20, "Maximal number of rounds; each adds paths that no earlier weights have revealed.", ge=1
    )
    directions: int = setting(
        20, "Random directions of lines besides those along the features.", ge=0
    )


class LatticeMertTuner(LatticeTuner[LatticeMertOptions]):
    """MERT on lattices."""

    summary = "MERT over all paths of lattices (Macherey et al. 2008)"
    options_type = LatticeMertOptions
    exact = True

    @override
    def find(
        self,
        lattices: Lattices,
        references: Sequence[Sequence[str]],
        starts: Sequence[NDArray[np.float64]],
        search: Search,
        *,
        known: Pool | None = None,
    ) -> tuple[TunedWeights, Pool]:
        """Find weights; the lattices are iterated once per round."""
        names = common_features(lattices, references)
        points = check_starts(names, starts, search.left_out)
        lines = _axes(names, search.tuned, search.left_out, points[0])
        pool, drawn = known, lines[:0]
        starts, best = points, TunedWeights(normalise(points[0]), -np.inf)
        # One stream for all rounds, so that each has directions of its own.
        numbers = np.random.Generator(np.random.PCG64(search.seed))
        for _ in range(self.options.rounds):
            through = np.concatenate([lines, drawn])
            nbest = winning_paths(lattices, points, through, threads=search.threads)
            pool = search.pool(nbest, references, pool)
            reached = pool.lists().value(points[0])
            if reached > best.value:
                best = TunedWeights(points[0], reached)
            foreseen = optimise(pool, [best.weights, *starts], MertTuner(), search)
            if foreseen.value <= best.value + _GAIN:
                break
            points = [foreseen.weights]
            drawn = _random_lines(pool, lines, self.options.directions, numbers)
        assert pool is not None, "there is at least one round"
        return best, pool


def _axes(
    names: Names, tuned: Collection[str], left_out: Collection[str], start: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Directions (D, F) along each tuned feature, and along all others together."""
    mask, others = divide(names, tuned, left_out)
    rest = [np.where(others, start, 0.0)[None]] if others.any() else []
    return np.concatenate([np.eye(len(mask))[mask], *rest])


def _random_lines(
    pool: Pool, lines: NDArray[np.float64], count: int, numbers: np.random.Generator
) -> NDArray[np.float64]:
    """Random directions (count, F) among the `lines`; every part changes scores equally."""
    along = np.stack([np.einsum("nf,f->n", pool.features, line) for line in lines], axis=1)
    spreads = pool.spreads(along)
    scale = np.where(spreads > 0, 1 / np.maximum(spreads, 1e-12), 0.0)
    shares = numbers.uniform(-1, 1, (count, len(lines))) * scale
    return np.asarray(np.einsum("dn,nf->df", shares, lines))
