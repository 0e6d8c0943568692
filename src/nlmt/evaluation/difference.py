"""The difference between two systems, with an interval and a p-value for sentences and runs.

A difference of mean scores is estimated from one choice of test sentences and from a few runs, and
either could have come out otherwise. Its variance is the sum of two:

- of the sentences: the variance of the difference over bootstrap draws of the test sentences, of
  each test set by itself, with all runs on the same draw;
- of the runs: the variance of the runs' scores over the number of runs, or that of the runs'
  differences where run k of both systems shares a model or a list (`paired`).

How the output of one run for one sentence happens to turn out is in both, so that it is subtracted
once (the decomposition for two crossed factors in Owen 2007, The pigeonhole bootstrap). Interval
and p are those of Student's t with the degrees of freedom of Satterthwaite (1946), in which a
variance of k degrees of freedom counts (k + 3) / k times. The plain formula takes estimated
variances for true ones, so that false alarms of three paired runs reach 8 % where the runs differ
much; with this factor, which simulation found, they are about 3 to 6 % for three runs and more
(`benchmarks/false_alarms.py`, docs/evaluation.md), and up to 8 % for two.

It assumes that runs are drawn from all runs that could have been made, with scores that are about
normally distributed. A single run says nothing about other runs: where a system has one, its
interval is about sentences only.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError

SIGNIFICANT = 0.05
# Draws that are computed at a time, to bound memory.
_BLOCK = 100
# Places after the decimal point, below which C libraries may differ.
_PLACES = 9

Statistics = NDArray[Any]


class ScoredBySums(Protocol):
    """A score that is a function of summed statistics."""

    def score(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """Scores (...) of summed statistics (..., W)."""


@dataclass(frozen=True)
class SampledRuns:
    """The scores of a system's runs, on the test set and on draws of its sentences.

    Scores are (runs,), draws (draws, runs); draw i of two systems has the same sentences.
    """

    scores: NDArray[np.float64]
    draws: NDArray[np.float64]
    sentences: int

    @property
    def sampling_deviation(self) -> float:
        """Standard deviation of a run's score due to the choice of sentences, mean of the runs.

        MultEval's s_sel (Clark et al. 2011). The deviation between runs is not part of it.
        """
        return float(np.std(self.draws, axis=0, ddof=1).mean())


@dataclass(frozen=True)
class Difference:
    """The difference of the mean scores of two systems.

    Attributes:
        difference: mean of the system's runs minus that of the baseline's.
        deviation: its standard error; infinite where it cannot be estimated.
        freedom: degrees of freedom of that estimate.
    """

    difference: float
    deviation: float
    freedom: float

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval."""
        return self.interval(0.95)[0]

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval."""
        return self.interval(0.95)[1]

    @property
    def p_value(self) -> float:
        """Two-sided p of no difference; below 0.05 where the 95 % interval is without zero."""
        if self.deviation == 0:
            return float(self.difference == 0)
        from scipy.special import stdtr  # imported late, as it is slow to load

        t = abs(self.difference) / self.deviation
        return round(float(2 * stdtr(self.freedom, -t)), _PLACES)

    def p_above(self, bound: float) -> float:
        """One-sided p of the true difference being no larger than a bound."""
        if self.deviation == 0:
            return float(self.difference <= bound)
        from scipy.special import stdtr

        return float(stdtr(self.freedom, (bound - self.difference) / self.deviation))

    def p_below(self, bound: float) -> float:
        """One-sided p of the true difference being no smaller than a bound."""
        return replace(self, difference=-self.difference).p_above(-bound)

    def interval(self, level: float) -> tuple[float, float]:
        """Ends of the interval that covers the true difference with this probability."""
        if self.deviation == 0:
            return self.difference, self.difference
        from scipy.special import stdtrit

        half = float(stdtrit(self.freedom, (1 + level) / 2)) * self.deviation
        return round(self.difference - half, _PLACES), round(self.difference + half, _PLACES)


def compare_systems(
    metric: ScoredBySums,
    system: Sequence[Statistics],
    baseline: Sequence[Statistics],
    *,
    paired: bool = False,
    resamples: int = 1000,
    seed: int = 1,
) -> Difference:
    """Compare two systems on one test set.

    `system` and `baseline` have the statistics (sentences, W) of each run; `paired` says that run k
    of both shares a model or a list.

    Raises:
        InputError: no runs or sentences; runs of different texts; numbers of runs that cannot be
            paired.
    """
    both = [
        sample_runs(metric, runs, resamples=resamples, seed=seed) for runs in (system, baseline)
    ]
    return compare_runs(*both, paired=paired)


def sample_runs(
    metric: ScoredBySums, runs: Sequence[Statistics], *, resamples: int = 1000, seed: int = 1
) -> SampledRuns:
    """Score the runs of a system on the test set and on draws of its sentences.

    `runs` are the statistics (sentences, W) of each. The draws are the same for equal numbers of
    sentences.

    Raises:
        InputError: no runs or sentences, runs of different texts, or fewer than two draws.
    """
    if resamples < 2:
        raise InputError(f"{resamples} draws of the sentences", hint="2 or more have a variance")
    sizes = {len(run) for run in runs}
    if len(sizes) != 1 or 0 in sizes:
        raise InputError(f"runs of {', '.join(str(len(run)) for run in runs) or 'no'} sentences")
    counted = np.stack([np.asarray(run, np.int64) for run in runs], axis=1)
    sentences = len(counted)
    columns = counted.reshape(sentences, -1).astype(np.float64)
    drawn = _draws(sentences, resamples, seed)
    blocks = [
        metric.score(
            # Sums of whole numbers are exact.
            (drawn[start : start + _BLOCK].astype(np.float64) @ columns).reshape(
                -1, *counted.shape[1:]
            )
        )
        for start in range(0, resamples, _BLOCK)
    ]
    whole = metric.score(counted.sum(axis=0, dtype=np.float64))
    return SampledRuns(whole, np.concatenate(blocks), sentences)


@lru_cache(maxsize=4)
def _draws(sentences: int, resamples: int, seed: int) -> NDArray[np.uint8]:
    """Counts (resamples, sentences) of each sentence in each draw.

    Cached, as all metrics and systems of a test set have the same.
    """
    random = np.random.Generator(np.random.PCG64(seed))
    counts = np.empty((resamples, sentences), np.uint8)
    for draw in range(resamples):
        drawn = random.integers(sentences, size=sentences)
        counts[draw] = np.bincount(drawn, minlength=sentences)
    return counts


def average_runs(sets: Sequence[SampledRuns]) -> SampledRuns:
    """Return the mean of a system's scores over test sets, whose draws are independent.

    Raises:
        InputError: the sets differ in their number of runs.
    """
    if len({len(one.scores) for one in sets}) != 1:
        raise InputError("test sets with different numbers of runs")
    return SampledRuns(
        np.mean([one.scores for one in sets], axis=0),
        np.mean([one.draws for one in sets], axis=0),
        sum(one.sentences for one in sets),
    )


def compare_runs(system: SampledRuns, baseline: SampledRuns, *, paired: bool) -> Difference:
    """Compare two systems by scores on the same draws.

    Raises:
        InputError: the draws are not of as many sentences; numbers of runs that cannot be paired.
    """
    if system.sentences != baseline.sentences or len(system.draws) != len(baseline.draws):
        raise InputError(
            f"runs of {system.sentences} sentences compared with runs of {baseline.sentences}"
        )
    if paired and len(system.scores) != len(baseline.scores):
        raise InputError(
            f"{len(system.scores)} runs cannot be paired with {len(baseline.scores)} runs"
        )
    difference = float(system.scores.mean() - baseline.scores.mean())
    if system.sentences < 2:
        return Difference(difference, math.inf, 1)
    of_sentences = float(np.var(system.draws.mean(axis=1) - baseline.draws.mean(axis=1), ddof=1))
    if paired:
        groups = [
            SampledRuns(
                system.scores - baseline.scores, system.draws - baseline.draws, system.sentences
            )
        ]
    else:
        groups = [system, baseline]
    of_runs = [_RunVariance.of(group) for group in groups if len(group.scores) > 1]
    both = sum(one.of_outputs for one in of_runs)
    variance = max(of_sentences + sum(one.variance for one in of_runs) - both, both)
    spread = of_sentences**2 / (system.sentences - 1) + sum(one.spread for one in of_runs)
    weighted = of_sentences + sum(one.weighted for one in of_runs)
    freedom = weighted**2 / spread if spread else 1.0
    return Difference(round(difference, _PLACES), round(math.sqrt(variance), _PLACES), freedom)


def compare_values(
    first: Sequence[float], second: Sequence[float], *, paired: bool = False
) -> Difference:
    """Compare the means of values of runs, about whose sentences nothing is known (Welch 1947).

    A single value has no variance. With `paired`, run k of both is one run, and they are as many.

    Raises:
        ValueError: no values, or paired ones that are not as many.
    """
    if paired:
        first, second = [a - b for a, b in zip(first, second, strict=True)], [0.0]
    difference = statistics.fmean(first) - statistics.fmean(second)
    parts = [
        (statistics.variance(values) / len(values), len(values) - 1)
        for values in (first, second)
        if len(values) > 1
    ]
    variance = sum(part for part, _ in parts)
    spread = sum(part**2 / freedom for part, freedom in parts)
    return Difference(difference, math.sqrt(variance), variance**2 / spread if spread else 1.0)


@dataclass(frozen=True)
class _RunVariance:
    """The variance of a mean over runs.

    Attributes:
        variance: estimated from the scores.
        of_outputs: its part that would be gone with infinitely many sentences.
        freedom: of `variance`.
    """

    variance: float
    of_outputs: float
    freedom: int

    @classmethod
    def of(cls, runs: SampledRuns) -> "_RunVariance":
        """Return the variance of the mean of these runs, two or more."""
        count = len(runs.scores)
        covariance = np.cov(runs.draws, rowvar=False)
        own = float(np.trace(covariance)) / count
        shared = (float(covariance.sum()) - own * count) / (count * (count - 1))
        return cls(float(np.var(runs.scores, ddof=1)) / count, (own - shared) / count, count - 1)

    @property
    def weighted(self) -> float:
        """Its weight in the degrees of freedom."""
        return self.variance * (self.freedom + 3) / self.freedom

    @property
    def spread(self) -> float:
        """The square of that weight over its degrees of freedom."""
        return self.weighted**2 / self.freedom


class _Mean:
    """A mean over a text, from sums over its sentences in steps of 1e-5.

    Args:
        count: number of the values whose mean it is.
    """

    STEPS = 1e5  # whole numbers, so that sums are exact

    def __init__(self, count: int) -> None:
        self._count = count

    def score(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        """Means (...) of summed statistics (..., 1)."""
        return np.asarray(sums[..., 0] / (self.STEPS * self._count))


def sample_means(runs: Sequence[NDArray[np.float64]], count: int) -> SampledRuns:
    """Means of a model's runs over a text, and over draws of its sentences.

    Of each run there is the sum (sentences,) over each sentence; `count` is the number of values in
    the text.

    Raises:
        InputError: as in `sample_runs`.
    """
    counted = [np.round(_Mean.STEPS * run).astype(np.int64)[:, None] for run in runs]
    return sample_runs(_Mean(count), counted)


def compare_means(
    model: Sequence[NDArray[np.float64]], other: Sequence[NDArray[np.float64]], count: int
) -> Difference:
    """Compare the means of two models over a text, given as in `sample_means`.

    Raises:
        InputError: the numbers of sentences differ, or there are none.
    """
    return compare_runs(sample_means(model, count), sample_means(other, count), paired=False)


def compare_perplexities(
    model: Sequence[NDArray[np.float64]],
    other: Sequence[NDArray[np.float64]],
    events: int,
) -> Difference:
    """Compare the mean perplexities of two language models on a text.

    Both models give the natural-log probabilities (sentences,) of each run; `events` is the number
    of words and sentence ends of the text.

    Raises:
        InputError: the numbers of sentences differ, or there are none.
    """
    logs = compare_means(model, other, events)
    first, second = (
        statistics.fmean(float(np.exp(-run.sum() / events)) for run in one)
        for one in (model, other)
    )
    # The logarithmic mean of both perplexities takes a difference of logarithms to that of them.
    scale = (first - second) / math.log(first / second) if first != second else second
    return Difference(first - second, logs.deviation * scale, logs.freedom)
