"""Significance of the difference between two systems.

Paired bootstrap (Koehn 2004): many samples of the test sentences are drawn with replacement, and
both systems are scored on each sample. The p-value is the share of samples on which the system that
is better on the whole set is not better. It is one-sided. If the systems ran several times (seeds
of tuning), a sample has the same sentences for all runs, and the statistic is the difference of the
mean scores: sentences vary, the runs stay fixed.

Approximate randomisation (Riezler and Maxwell 2005): under the null hypothesis the outputs of a
sentence are exchangeable between the systems. The p-value is the share of random exchanges with a
difference at least as large, in either direction. With several runs the outputs of a sentence are
shuffled over all runs of both systems (Clark et al. 2011), which includes the variance of tuning.

Both are (k + 1) / (n + 1) for k of n trials, so that they are never 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.evaluation import _statistics
from nlmt.evaluation.metric import Metric

# Trials that are computed at a time, to bound memory.
_BLOCK = 100
# Scores that differ by less count as equal, as their means may be summed in another order.
_EQUAL = 1e-9
SIGNIFICANT = 0.05

Statistics = NDArray[Any]


@dataclass(frozen=True)
class Comparison:
    """A comparison of a system with a baseline.

    Attributes:
        difference: mean score of the system's runs minus that of the baseline's.
        p_value: of the difference of the means.
        run_p_values: of each pair of runs alone; only for the bootstrap.
        null: (trials,) for randomisation: the differences after exchanges.
    """

    difference: float
    p_value: float
    run_p_values: list[float] = field(default_factory=list)
    null: NDArray[np.float64] = field(
        default_factory=lambda: np.zeros(0), repr=False, compare=False
    )

    @property
    def critical(self) -> float | None:
        """Size that a difference must exceed for p < 0.05; None for the bootstrap."""
        return critical_difference(self.null)


def paired_bootstrap(
    metric: Metric,
    system: Sequence[Statistics],
    baseline: Sequence[Statistics],
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> Comparison:
    """Compare two systems on the same test set; one-sided, and 1 for two equal systems.

    Args:
        metric: of the scores.
        system: (sentences, W) statistics of each run.
        baseline: (sentences, W) statistics of the other system, as many runs.
        resamples: number of draws.
        seed: of the draws.

    Raises:
        InputError: the numbers of runs or of sentences differ, or there are none.
    """
    runs = _check_runs(system, baseline)
    whole, scores = _resampled_scores(metric, runs, resamples, seed)
    half = len(system)
    differences, observed = scores[:, :half] - scores[:, half:], whole[:half] - whole[half:]
    return Comparison(
        float(observed.mean()),
        _bootstrap_p(differences.mean(axis=1), float(observed.mean())),
        [_bootstrap_p(differences[:, run], observed[run]) for run in range(half)],
    )


def approximate_randomisation(
    metric: Metric,
    system: Sequence[Statistics],
    baseline: Sequence[Statistics],
    *,
    trials: int = 1000,
    seed: int = 1,
) -> Comparison:
    """Compare two systems on the same test set; two-sided.

    Args:
        metric: of the scores.
        system: (sentences, W) statistics of each run.
        baseline: (sentences, W) statistics of the other system, as many runs.
        trials: number of random exchanges.
        seed: of the exchanges.

    Raises:
        InputError: the numbers of runs or of sentences differ, or there are none.
    """
    runs = _check_runs(system, baseline)
    half = len(system)
    difference, null = _randomise(metric, runs, half, trials, seed)
    return Comparison(difference, randomisation_p(difference, null), null=null)


def randomisation_p(difference: float, null: NDArray[np.float64]) -> float:
    """Share of random exchanges with a difference at least as large, in either direction."""
    extreme = int(np.count_nonzero(np.abs(null) >= abs(difference) - _EQUAL))
    return (extreme + 1) / (len(null) + 1)


def critical_difference(null: NDArray[np.float64]) -> float | None:
    """Size that a difference must exceed for a p of randomisation below 0.05.

    A true difference of this size is significant on about half of all test sets like this one.

    Args:
        null: (trials,) differences of random exchanges.

    Returns:
        None if the trials are too few for any difference to be significant.
    """
    sizes = np.sort(np.abs(null))[::-1]
    as_large = int(np.ceil(SIGNIFICANT * (len(sizes) + 1))) - 2  # largest number of such sizes
    return float(sizes[as_large]) if as_large >= 0 else None


def compare_perplexities(
    model: NDArray[np.float64],
    other: NDArray[np.float64],
    events: int,
    *,
    trials: int = 1000,
    seed: int = 1,
) -> Comparison:
    """Compare two language models on a text, by approximate randomisation of its sentences.

    Args:
        model: (sentences,) natural-log probabilities.
        other: (sentences,) natural-log probabilities of the other model.
        events: number of words and sentence ends of the text.
        trials: number of random exchanges.
        seed: of the exchanges.

    Returns:
        The difference of the perplexities, two-sided.

    Raises:
        InputError: the numbers of sentences differ, or there are none.
    """
    if len(model) != len(other) or not len(model):
        raise InputError(f"log-probabilities of {len(model)} and of {len(other)} sentences")
    exchanged = np.random.default_rng(seed).random((trials, len(model))) < 0.5
    moved = exchanged @ (other - model)

    def difference(moved: NDArray[np.float64]) -> NDArray[np.float64]:
        first, second = model.sum() + moved, other.sum() - moved
        return np.asarray(np.exp(-first / events) - np.exp(-second / events))

    observed, null = float(difference(np.zeros(1))[0]), difference(moved)
    return Comparison(observed, randomisation_p(observed, null), null=null)


def sampling_deviation(
    metric: Metric, runs: Sequence[Statistics], *, resamples: int = 1000, seed: int = 1
) -> float:
    """Standard deviation of a score due to the choice of the test sentences.

    It is estimated by the bootstrap and averaged over the runs (MultEval's s_sel, Clark et al.
    2011). The deviation between runs is not part of it.
    """
    _, scores = _resampled_scores(metric, _check_runs(runs, runs)[: len(runs)], resamples, seed)
    return float(np.std(scores, axis=0, ddof=1).mean())


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


def _resampled_scores(
    metric: Metric, runs: Sequence[NDArray[np.int32]], resamples: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores (runs,) of the whole set, and (resamples, runs) of the draws."""
    statistics = np.stack(runs, axis=1)  # (sentences, runs, W)
    sentences = len(statistics)
    random = np.random.Generator(np.random.PCG64(seed))
    blocks = []
    for start in range(0, resamples, _BLOCK):
        draws = min(_BLOCK, resamples - start)
        drawn = random.integers(sentences, size=(draws, sentences))
        blocks.append(metric.score(_statistics.drawn_sums(statistics, drawn)))
    return metric.score(statistics.sum(axis=0, dtype=np.float64)), np.concatenate(blocks)


def _bootstrap_p(differences: NDArray[np.float64], observed: float) -> float:
    if abs(observed) < _EQUAL:
        return 1.0
    against = int(np.count_nonzero(differences * np.sign(observed) <= _EQUAL))
    return (against + 1) / (len(differences) + 1)


def _randomise(
    metric: Metric, runs: Sequence[NDArray[np.int32]], half: int, trials: int, seed: int
) -> tuple[float, NDArray[np.float64]]:
    """Difference of the mean scores of the first `half` runs and the others.

    Returns:
        The difference, and (trials,) differences after random exchanges.
    """

    def difference(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Differences (...) of sums (..., runs, W)."""
        scores = metric.score(sums)
        return np.asarray(scores[..., :half].mean(axis=-1) - scores[..., half:].mean(axis=-1))

    statistics = np.stack(runs, axis=1)  # (sentences, runs, W)
    observed = float(difference(statistics.sum(axis=0, dtype=np.float64)))
    exchanges = _exchanges(trials, len(statistics), len(runs), seed)
    null = [
        difference(_statistics.exchanged_sums(statistics, exchanges[start : start + _BLOCK]))
        for start in range(0, trials, _BLOCK)
    ]
    return observed, np.concatenate(null)


@lru_cache(maxsize=1)
def _exchanges(trials: int, sentences: int, runs: int, seed: int) -> NDArray[np.int16]:
    """Run (trials, sentences, runs) whose output of a sentence replaces each run's.

    Cached, as all metrics and all comparisons of a test set use the same.
    """
    random = np.random.Generator(np.random.PCG64(seed))
    found = np.empty((trials, sentences, runs), np.int16)
    for start in range(0, trials, _BLOCK):
        block = found[start : start + _BLOCK]
        block[:] = random.random(block.shape).argsort(axis=-1)
    return found
