"""Tests of a difference that other programs print, for those who compare with them.

Paired bootstrap (Koehn 2004): many samples of the test sentences are drawn with replacement, and
both systems are scored on each sample. The p-value is the share of samples on which the system that
is better on the whole set is not better. It is one-sided, in the direction that came out. With
several runs, a sample has the same sentences for all runs, and the statistic is the difference of
the mean scores. (sacreBLEU's `--paired-bs` counts samples whose absolute difference exceeds the
mean of all by more than the observed one: alike, unless the difference is small.)

Approximate randomisation (Riezler and Maxwell 2005): under the null hypothesis the outputs of a
sentence are exchangeable between the systems. The p-value is the share of random exchanges with a
difference at least as large, in either direction. With several runs the outputs of a sentence are
shuffled over all runs of both systems (Clark et al. 2011; MultEval). (sacreBLEU's `--paired-ar`
counts larger differences only.)

Neither covers what `nlmt.evaluation.difference` does: both say how the difference would come out on
other sentences, and the bootstrap is in the direction that came out; the shuffle takes runs that
agree for independent evidence, so that it finds differences where there are none.

Both are (k + 1) / (n + 1) for k of n trials, so that they are never 0.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.evaluation.difference import Statistics, sample_runs
from nlmt.evaluation.metric import Metric

# Scores that differ by less count as equal, as their means may be summed in another order.
_EQUAL = 1e-9


def paired_bootstrap(
    metric: Metric,
    system: Sequence[Statistics],
    baseline: Sequence[Statistics],
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> float:
    """Return the one-sided p-value of the paired bootstrap; 1 for two equal systems.

    `system` and `baseline` have the statistics (sentences, W) of each run.

    Raises:
        InputError: the numbers of runs or of sentences differ, or there are none.
    """
    _check_runs(system, baseline)
    first, second = (
        sample_runs(metric, runs, resamples=resamples, seed=seed) for runs in (system, baseline)
    )
    observed = float(first.scores.mean() - second.scores.mean())
    if abs(observed) < _EQUAL:
        return 1.0
    differences = first.draws.mean(axis=1) - second.draws.mean(axis=1)
    against = int(np.count_nonzero(differences * np.sign(observed) <= _EQUAL))
    return (against + 1) / (resamples + 1)


def approximate_randomisation(
    metric: Metric,
    system: Sequence[Statistics],
    baseline: Sequence[Statistics],
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> float:
    """Return the two-sided p-value of approximate randomisation.

    `system` and `baseline` have the statistics (sentences, W) of each run.

    Raises:
        InputError: the numbers of runs or of sentences differ, or there are none.
    """
    runs = _check_runs(system, baseline)
    half = len(system)

    def difference(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Differences (...) of sums (..., runs, W)."""
        scores = metric.score(sums)
        return np.asarray(scores[..., :half].mean(axis=-1) - scores[..., half:].mean(axis=-1))

    statistics = np.stack(runs, axis=1)  # (sentences, runs, W)
    sentences = np.arange(len(statistics))[:, None]
    random = np.random.Generator(np.random.PCG64(seed))
    exchanged = []
    for _ in range(resamples):
        # The run whose output of a sentence replaces each run's.
        sources = random.random(statistics.shape[:2]).argsort(axis=-1)
        exchanged.append(statistics[sentences, sources].sum(axis=0, dtype=np.float64))
    observed = float(difference(statistics.sum(axis=0, dtype=np.float64)))
    extreme = np.abs(difference(np.array(exchanged))) >= abs(observed) - _EQUAL
    return (int(np.count_nonzero(extreme)) + 1) / (resamples + 1)


def _check_runs(
    system: Sequence[Statistics], baseline: Sequence[Statistics]
) -> list[NDArray[np.int32]]:
    runs = [np.asarray(run, np.int32) for run in (*system, *baseline)]
    if len(system) != len(baseline) or not system:
        raise InputError(f"{len(system)} runs cannot be paired with {len(baseline)} runs")
    sentences = len(runs[0])
    if sentences == 0 or any(len(run) != sentences for run in runs):
        raise InputError(f"runs of {', '.join(str(len(run)) for run in runs)} sentences")
    return runs


TESTS: dict[str, Callable[..., float]] = {
    "bootstrap": paired_bootstrap,
    "randomisation": approximate_randomisation,
}
