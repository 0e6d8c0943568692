"""Pairwise ranked optimisation (Hopkins and May 2011): tuning as classification of pairs.

Of each sentence pairs of hypotheses are drawn; those that differ clearly in quality are examples of
which of two should score higher. Weights are those of a logistic regression over the differences of
their features.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.settings import Settings, setting
from nlmt.tuning.pool import Pool
from nlmt.tuning.tuner import ListTuner

_MAX_STEPS = 100
_CONVERGED = 1e-10  # of the loss, relative


class ProOptions(Settings):
    """Options of PRO; the defaults are those of Hopkins and May (2011)."""

    sampled: int = setting(5000, "Gamma: pairs drawn from a sentence.", ge=1)
    least_difference: float = setting(
        0.05,
        "Alpha: the least difference in the objective between the two hypotheses of a pair.",
        gt=0,
        le=1,
    )
    kept: int = setting(50, "Xi: how many of a sentence's most different pairs are kept.", ge=1)
    penalty: float = setting(
        1.0, "Of half the squared length of the weights, against the summed loss.", gt=0
    )


class ProTuner(ListTuner[ProOptions]):
    """PRO on n-best lists."""

    summary = "pairwise ranking by logistic regression (Hopkins and May 2011)"
    options_type = ProOptions
    interpolated = True

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
        weights = pro(pool, self.options, seed=seed)
        return weights if weights.any() else starts[0]


def pro(pool: Pool, options: ProOptions | None = None, *, seed: int = 1) -> NDArray[np.float64]:
    """(F,) weights that rank the pool's pairs best; zeros if no two hypotheses differ clearly.

    Args:
        pool: the hypotheses; a sentence's value is `Objective.sentence_values`.
        options: the paper's if not given.
        seed: of the pairs.
    """
    options = options or ProOptions()
    return logistic_regression(sample_pairs(pool, options, seed=seed), penalty=options.penalty)


def sample_pairs(pool: Pool, options: ProOptions, *, seed: int = 1) -> NDArray[np.float64]:
    """(pairs, F) features of the better hypothesis less those of the worse one."""
    random = np.random.Generator(np.random.PCG64(seed))
    values = pool.objective.sentence_values(pool.statistics)
    better, worse = [], []
    for begin, end in pairwise(pool.offsets().tolist()):
        if end - begin < 2:
            continue
        first, second = random.integers(begin, end, size=(2, options.sampled))
        gap = values[first] - values[second]
        clear = np.flatnonzero(np.abs(gap) >= options.least_difference)
        order = np.argsort(-np.abs(gap[clear]), kind="stable")[: options.kept]
        chosen = clear[order]
        up = gap[chosen] > 0
        better.append(np.where(up, first[chosen], second[chosen]))
        worse.append(np.where(up, second[chosen], first[chosen]))
    if not better:
        return np.zeros((0, pool.features.shape[1]))
    return np.asarray(
        pool.features[np.concatenate(better)] - pool.features[np.concatenate(worse)], np.float64
    )


def logistic_regression(
    differences: NDArray[np.float64], *, penalty: float = 1.0
) -> NDArray[np.float64]:
    """(F,) weights w of the least sum of log(1 + exp(-x w)) plus penalty/2 |w|^2, by Newton.

    Each pair stands for both its orders, which have the same loss: so there is no bias.

    Args:
        differences: (pairs, F) x.
        penalty: above 0, so that the minimum is unique.
    """
    width = differences.shape[1]
    weights = np.zeros(width)

    def loss(at: NDArray[np.float64]) -> float:
        # Not a matrix product, whose last bits may depend on the number of threads.
        margin = np.einsum("pf,f->p", differences, at)
        return float(np.logaddexp(0, -margin).sum() + penalty / 2 * at @ at)

    now = loss(weights)
    for _ in range(_MAX_STEPS):
        margin = np.einsum("pf,f->p", differences, weights)
        wrong = 1 / (1 + np.exp(np.clip(margin, -500, 500)))  # probability of the wrong order
        gradient = penalty * weights - np.einsum("p,pf->f", wrong, differences)
        spread = (wrong * (1 - wrong))[:, None] * differences
        hessian = penalty * np.eye(width) + np.einsum("pf,pg->fg", spread, differences)
        direction = np.linalg.solve(hessian, gradient)
        step = 1.0
        while (then := loss(weights - step * direction)) > now and step > _CONVERGED:
            step /= 2
        if now - then <= _CONVERGED * max(now, 1.0):
            break
        weights, now = weights - step * direction, then
    return weights
