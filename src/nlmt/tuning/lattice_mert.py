"""Lattice MERT (Macherey et al. 2008): line searches over all paths of the lattices.

Along a line through the weights only few paths of a lattice ever win, and they are found exactly,
however many paths there are. They become a pool for n-best MERT; lines through the weights that it
finds reveal further paths, until it foresees no gain over the actual value of the last weights.
Then the pool has all the winning paths along these lines.
"""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.settings import Settings, setting
from nlmt.tuning.feature_names import Names, divide
from nlmt.tuning.lattice_paths import check_starts, common_features, winning_paths
from nlmt.tuning.objective import DEFAULT_OBJECTIVE, Objective
from nlmt.tuning.optimise import normalise, optimise
from nlmt.tuning.pool import Pool, pool_of_nbest
from nlmt.tuning.tuner import Lattices, LatticeTuner, TunedWeights

# Of the objective: the search ends if the foreseen gain is smaller.
_GAIN = 1e-5


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
    restarts = True
    exact = True

    @override
    def find(
        self,
        lattices: Lattices,
        references: Sequence[Sequence[str]],
        starts: Sequence[NDArray[np.float64]],
        *,
        known: Pool | None,
        objective: Objective,
        tuned: Collection[str],
        left_out: Collection[str],
        runs: int,
        restarts: int,
        seed: int,
        threads: int,
    ) -> tuple[TunedWeights, Pool]:
        return lattice_mert(
            lattices, references, starts, known=known, options=self.options, objective=objective,
            tuned=tuned, left_out=left_out, runs=runs, restarts=restarts, seed=seed,
            threads=threads,
        )  # fmt: skip


def lattice_mert(
    lattices: Lattices,
    references: Sequence[Sequence[str]],
    starts: Sequence[NDArray[np.float64]],
    *,
    known: Pool | None = None,
    options: LatticeMertOptions | None = None,
    objective: Objective = DEFAULT_OBJECTIVE,
    tuned: Collection[str] = (),
    left_out: Collection[str] = (),
    runs: int = 1,
    restarts: int = 20,
    seed: int = 1,
    threads: int = 1,
) -> tuple[TunedWeights, Pool]:
    """Tune weights on lattices.

    Args:
        lattices: one for each sentence, iterated once per round; their numbers count the lines of
            the references from 0.
        references: one or more sets of lines.
        starts: (F,) points to start from, one weight for each of `tunable_features`.
        known: paths of other lattices of the same sentences, such as those of earlier decoder runs.
        options: rounds and directions.
        objective: to be maximised.
        tuned: features to tune, as in `optimise`.
        left_out: features whose weights are 0, as in `optimise`.
        runs: of each MERT, whose weights are averaged.
        restarts: random starting points of each MERT.
        seed: the same seed gives the same weights.
        threads: the result does not depend on it.

    Returns:
        the weights and their value on all paths of the lattices; the paths found, with `known`.

    Raises:
        InputError: no lattices, other features or two lattices of a sentence, a sentence without
            reference, weights that do not fit.
    """
    options = options or LatticeMertOptions()
    names = common_features(lattices)
    points = check_starts(names, starts, left_out)
    lines = _axes(names, tuned, left_out, points[0])
    pool, drawn = known, lines[:0]
    starts, best = points, TunedWeights(normalise(points[0]), -np.inf)
    for _ in range(options.rounds):
        nbest = winning_paths(lattices, points, np.concatenate([lines, drawn]), threads=threads)
        found = pool_of_nbest(
            nbest, references, objective=objective, left_out=left_out, threads=threads
        )
        pool = pool.merge([found]) if pool else found
        reached = pool.lists().value(points[0])
        if reached > best.value:
            best = TunedWeights(points[0], reached)
        foreseen = optimise(
            pool, [best.weights, *starts],
            tuned=tuned, left_out=left_out, runs=runs, restarts=restarts, seed=seed,
            threads=threads,
        )  # fmt: skip
        if foreseen.value <= best.value + _GAIN:
            break
        points = [foreseen.weights]
        drawn = _random_lines(pool, lines, options.directions, seed)
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
    pool: Pool, lines: NDArray[np.float64], count: int, seed: int
) -> NDArray[np.float64]:
    """Random directions (count, F) among the `lines`; every part changes scores equally."""
    along = np.stack([np.einsum("nf,f->n", pool.features, line) for line in lines], axis=1)
    spreads = pool.spreads(along)
    scale = np.where(spreads > 0, 1 / np.maximum(spreads, 1e-12), 0.0)
    random = np.random.Generator(np.random.PCG64(seed))
    shares = random.uniform(-1, 1, (count, len(lines))) * scale
    return np.asarray(np.einsum("dn,nf->df", shares, lines))
