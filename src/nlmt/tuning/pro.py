"""Pairwise ranked optimisation (Hopkins and May 2011): tuning as classification of pairs.

Pairs of hypotheses are drawn for each sentence; those that differ clearly in quality are examples
of which of the two should score higher. The weights are those of a logistic regression over the
differences of their features.

The quality of single sentences by BLEU+1 favours short translations, as everything but the brevity
penalty is smoothed, and as a sentence does not take account of the others' lengths (Nakov, Guzmán
and Vogel 2012); pairs of the largest differences contain hypotheses so bad that nothing is learnt
from them (the same authors 2013, "A Tale about PRO and Monsters"). Options correct either.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.settings import Settings, setting
from nlmt.tuning.pool import Pool
from nlmt.tuning.tuner import ListTuner, Search

_MAX_STEPS = 100
_CONVERGED = 1e-10  # of the loss, relative


class ProOptions(Settings):
    """Options of PRO; the defaults are Hopkins and May's (2011) with one correction.

    It is `longer_reference`, which helped where it was measured (docs/tuning.md).
    """

    sampled: int = setting(5000, "Gamma: pairs drawn per sentence.", ge=1)
    least_difference: float = setting(
        0.05,
        "Alpha: the least difference in the objective between the two hypotheses of a pair.",
        gt=0,
        le=1,
    )
    largest_difference: float | None = setting(
        None,
        "The largest difference of a pair: a cut-off against hypotheses that are far too bad; "
        "null: none.",
        source="Nakov, Guzmán and Vogel 2013",
        gt=0,
    )
    kept: int = setting(50, "Xi: pairs kept per sentence.", ge=1)
    accepted: Literal["largest", "random"] = setting(
        "largest",
        "Pairs to keep: those of the largest differences (Hopkins and May 2011), or random "
        "ones (Nakov, Guzmán and Vogel 2013).",
    )
    longer_reference: float = setting(
        1.0,
        "Words added to the reference of a sentence in BLEU's brevity penalty; 1 smooths it as "
        "BLEU+1 smooths precision, 0 is as in Hopkins and May (2011).",
        source="Nakov, Guzmán and Vogel 2012",
        ge=0,
    )
    grounded: bool = setting(
        False,
        "Whether to subtract from a sentence's BLEU+1 its value without any match.",
        source="Nakov, Guzmán and Vogel 2012",
    )
    background: float = setting(
        0.0,
        "Judge hypotheses as part of a text of so many more sentences of average length "
        "and quality, translated with the current weights, without smoothing BLEU: "
        "longer_reference and grounded have no effect then. 0: each is a text of its own.",
        ge=0,
    )
    penalty: float = setting(
        1.0, "Weight of half the squared length of the weights, relative to the summed loss.", gt=0
    )


class ProTuner(ListTuner[ProOptions]):
    """PRO on n-best lists."""

    summary = "pairwise ranking by logistic regression (Hopkins and May 2011)"
    options_type = ProOptions
    interpolated = True

    @override
    def find(
        self, pool: Pool, starts: Sequence[NDArray[np.float64]], search: Search
    ) -> NDArray[np.float64]:
        """The weights that rank the pool's pairs best; the start if none differs clearly."""
        values = hypothesis_values(pool, self.options, starts[0])
        pairs = sample_pairs(pool, values, self.options, seed=search.seed)
        weights = logistic_regression(pairs, penalty=self.options.penalty)
        return weights if weights.any() else starts[0]


def hypothesis_values(
    pool: Pool, options: ProOptions, start: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Quality (N,) of each hypothesis, alone or against the background of a text.

    The background is translated with the weights `start` (F,). Differences within a text of B
    further sentences are multiplied by B + 1, so that they are about as large as those of single
    sentences.
    """
    if not options.background:
        return pool.objective.sentence_values(
            pool.statistics, longer=options.longer_reference, grounded=options.grounded
        )
    chosen = pool.statistics[pool.best_rows(start)]
    text = options.background * chosen.mean(axis=0)
    return (1 + options.background) * pool.objective.value(pool.statistics + text)


def sample_pairs(
    pool: Pool, values: NDArray[np.float64], options: ProOptions, *, seed: int = 1
) -> NDArray[np.float64]:
    """Feature differences (pairs, F), better minus worse hypothesis.

    `values` (N,) are the quality of the hypotheses.
    """
    random = np.random.Generator(np.random.PCG64(seed))
    better, worse = [], []
    for begin, end in pairwise(pool.offsets().tolist()):
        if end - begin < 2:
            continue
        first, second = random.integers(begin, end, size=(2, options.sampled))
        gap = values[first] - values[second]
        size = np.abs(gap)
        limit = np.inf if options.largest_difference is None else options.largest_difference
        clear = np.flatnonzero((size >= options.least_difference) & (size <= limit))
        if options.accepted == "largest":
            clear = clear[np.argsort(-size[clear], kind="stable")]
        chosen = clear[: options.kept]  # the pairs were drawn in random order
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
    """Weights w (F,) that minimise the sum of log(1 + exp(-x w)) plus penalty/2 |w|^2, by Newton.

    Each pair represents both its orders, which have the same loss: so there is no bias.

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
