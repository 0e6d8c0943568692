"""The scores of a system over runs and test sets, and its comparisons with other systems."""

import math
import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from nlmt.errors import InputError
from nlmt.evaluation.difference import SampledRuns, average_runs, compare_runs, sample_runs
from nlmt.evaluation.evaluation_set import EvaluationSet, Lines
from nlmt.evaluation.metric import Metric
from nlmt.evaluation.other_tests import TESTS
from nlmt.evaluation.remembered import remembering
from nlmt.evaluation.segment_metric import SEGMENT_METRICS, MeanOfSegments
from nlmt.evaluation.standard import TOKENISED, TOKENISED_CASED, detokenised_metrics
from nlmt.text import Detokeniser

AVERAGE = "average"
METRICS = tuple(metric.name for metric in TOKENISED)
DETOKENISED = "detokenised "  # prefix of metrics of detokenised text

_OWN = ""  # the system itself among those it is compared with

Sampled = Mapping[str, SampledRuns]  # by system; the name of the system itself is empty


def sign_of(metric: str) -> int:
    """1 where more of a metric in `SystemScores` is better, -1 where less of it is."""
    signs = {one.name: one.sign for one in TOKENISED}
    signs |= {one.name: one.sign for _, one in SEGMENT_METRICS.items()}
    return signs.get(metric.removeprefix(DETOKENISED), 1)


@dataclass(frozen=True)
class SystemComparison:
    """Comparison with another system, by one metric on one test set or averaged over test sets.

    All but `other_tests` is about the test sentences and the runs that were drawn
    (`nlmt.evaluation.difference`); `None` where the text has a single sentence.

    Attributes:
        difference: mean over the runs minus that of the other system.
        low: lower end of the 95 % interval of the difference.
        high: its upper end.
        p_value: two-sided; below 0.05 where the interval is without zero.
        deviation: standard error of the difference.
        freedom: its degrees of freedom.
        paired: whether run k of both shares a model or a list.
        other_tests: p-values by name of the test, those of `TESTS` that were asked for.
    """

    difference: float
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    deviation: float | None = None
    freedom: float | None = None
    paired: bool = False
    other_tests: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class MetricScores:
    """Scores of all runs by one metric on one test set, or averaged over test sets.

    Attributes:
        runs: of each run, 0 to 100.
        mean: over the runs.
        stdev: sample standard deviation between runs; None for a single run.
        sampling_stdev: standard deviation due to the choice of test sentences, by the bootstrap
            within each run; None for averages.
        signature: sacreBLEU's.
        lengths: of each run, the ratio of the translations' length to the references', as in
            `Metric.length_ratio`; empty for metrics that do not count both.
        length: mean over the runs.
        difference: of the comparison with the baseline; None for the baseline itself.
        low: of the comparison with the baseline.
        high: of the comparison with the baseline.
        p_value: of the comparison with the baseline.
        comparisons: with each of the other systems, including the baseline, by name.
    """

    runs: list[float]
    mean: float
    stdev: float | None
    sampling_stdev: float | None
    signature: str
    lengths: list[float] = field(default_factory=list)
    length: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    comparisons: dict[str, SystemComparison] = field(default_factory=dict)


@dataclass(frozen=True)
class SystemScores:
    """The content of `eval/<system>.json`.

    Attributes:
        system: its name in the configuration.
        label: its name in tables.
        seeds: of the runs.
        baseline: name of the system with which tables compare.
        resamples: draws of the test sentences.
        scores: by test set, and `average` if there are several, then by metric.
    """

    system: str
    label: str
    seeds: list[int]
    baseline: str
    resamples: int
    scores: dict[str, dict[str, MetricScores]]

    def to_dict(self) -> dict[str, Any]:
        """All fields under their names, ready for JSON."""
        return asdict(self)


def evaluate_system(
    system: str,
    test_sets: Sequence[EvaluationSet],
    *,
    baseline: str,
    seeds: Sequence[int],
    label: str = "",
    paired: Collection[str] = (),
    tests: Sequence[str] = (),
    resamples: int = 1000,
    seed: int = 1,
    threads: int = 1,
    metrics: Sequence[str] = METRICS,
    case: bool = False,
    segment_metrics: Sequence[str] = (),
) -> SystemScores:
    """Score all runs of a system by several metrics; compare it with others.

    Args:
        system: the system's name.
        test_sets: with the translations of each run, and of the systems to compare with; comparison
            of the system with itself is left out.
        baseline: name of one of these systems, or of the system itself.
        seeds: one for each run.
        label: the system's name in tables; empty: `system`.
        paired: the other systems whose run k shares a model or a list with ours.
        tests: names among `TESTS`, further tests of each difference on a test set.
        resamples: draws of the test sentences, and trials of further tests.
        seed: of both.
        threads: the result does not depend on it.
        metrics: names among `METRICS`.
        case: whether words must have the case of the references.
        segment_metrics: names of `SEGMENT_METRICS`, of the test sets' texts.

    Raises:
        InputError: numbers of lines, or of runs that are paired or tested, differ; an unknown
            metric; two test sets of the same name, or none; translations of the baseline are
            missing.
    """
    names = [test_set.name for test_set in test_sets]
    if not names or len(set(names)) < len(names) or AVERAGE in names:
        raise InputError(f"test sets named {', '.join(names) or 'nothing'}", hint="a name for each")
    for metric in metrics:
        if metric not in METRICS:
            raise InputError(f"unknown metric {metric!r}", hint=f"one of {', '.join(METRICS)}")
    scores: dict[str, dict[str, MetricScores]] = {}
    sampled: list[dict[str, Sampled]] = []
    for number, test_set in enumerate(test_sets):
        if len(seeds) != len(test_set.hypotheses):
            raise InputError(
                f"{system}: {len(test_set.hypotheses)} runs, but {len(seeds)} seeds",
            )
        if baseline not in (system, *test_set.others):
            raise InputError(f"{test_set.name}: no translations of the baseline {baseline}")
        others = {name: runs for name, runs in test_set.others.items() if name != system}
        found = {
            name: _evaluate(
                metric,
                texts,
                baseline=baseline,
                paired=paired,
                tests=tests,
                resamples=resamples,
                seed=seed + number,  # draws of one set are independent of those of another
                threads=threads,
            )
            for name, metric, texts in [
                *_views(replace(test_set, others=others), metrics, case),
                *_segment_views(test_set, segment_metrics, others),
            ]
        }
        scores[test_set.name] = {name: one for name, (one, _) in found.items()}
        sampled.append({name: runs for name, (_, runs) in found.items()})
    if len(names) > 1:
        scores[AVERAGE] = _average(list(scores.values()), sampled, baseline, paired)
    return SystemScores(
        system=system,
        label=label or system,
        seeds=list(seeds),
        baseline=baseline,
        resamples=resamples,
        scores=scores,
    )


def _views(
    test_set: EvaluationSet, names: Sequence[str], case: bool
) -> list[tuple[str, Metric, EvaluationSet]]:
    """Name, metric and texts of each score of a test set."""

    def chosen(metrics: Sequence[Metric]) -> list[Metric]:
        return remembering(metric for metric in metrics if metric.name in names)

    views: list[tuple[str, Metric, EvaluationSet]]
    views = [
        (metric.name, metric, test_set) for metric in chosen(TOKENISED_CASED if case else TOKENISED)
    ]
    if test_set.raw_references:
        detokenise = cache(Detokeniser(test_set.language))  # runs share many lines

        def detokenised(runs: Sequence[Lines]) -> list[Lines]:
            return [[detokenise(line) for line in run] for run in runs]

        texts = EvaluationSet(
            test_set.name,
            detokenised(test_set.hypotheses),
            test_set.raw_references,
            {other: detokenised(runs) for other, runs in test_set.others.items()},
        )
        views += [
            (DETOKENISED + metric.name, metric, texts)
            for metric in chosen(detokenised_metrics(test_set.language, lowercase=not case))
        ]
    return views


def _segment_views(
    test_set: EvaluationSet, names: Sequence[str], others: Collection[str]
) -> list[tuple[str, Metric, EvaluationSet]]:
    """Name, metric and texts of each segment metric of a test set."""
    texts = EvaluationSet(
        test_set.name,
        test_set.texts,
        test_set.raw_references,
        {other: runs for other, runs in test_set.other_texts.items() if other in others},
    )
    metrics = [SEGMENT_METRICS.get(name) for name in names]
    return [(one.name, MeanOfSegments(one, test_set.sources), texts) for one in metrics]


def _evaluate(
    metric: Metric,
    texts: EvaluationSet,
    *,
    baseline: str,
    paired: Collection[str],
    tests: Sequence[str],
    resamples: int,
    seed: int,
    threads: int,
) -> tuple[MetricScores, Sampled]:
    """Score one test set by one metric, and compare with the other systems."""
    statistics_of = {
        name: [metric.statistics(run, texts.references, threads=threads) for run in runs]
        for name, runs in {_OWN: texts.hypotheses, **texts.others}.items()
    }
    sampled = {
        name: sample_runs(metric, runs, resamples=resamples, seed=seed)
        for name, runs in statistics_of.items()
    }
    comparisons = {}
    for name, runs in statistics_of.items():
        if name != _OWN:
            found = {
                test: TESTS[test](metric, statistics_of[_OWN], runs, resamples=resamples, seed=seed)
                for test in tests
            }
            compared = _compare(sampled, name, paired)
            comparisons[name] = replace(compared, other_tests=found)
    sums = [run.sum(axis=0, dtype=np.int64) for run in statistics_of[_OWN]]
    ratios = [metric.length_ratio(one) for one in sums]
    scores = _scores(
        [metric.corpus_value(one) for one in sums],
        [ratio for ratio in ratios if ratio is not None],
        comparisons,
        baseline,
        sampling_stdev=sampled[_OWN].sampling_deviation,
        signature=metric.signature(len(texts.references)),
    )
    return scores, sampled


def _average(
    sets: Sequence[Mapping[str, MetricScores]],
    sampled: Sequence[Mapping[str, Sampled]],
    baseline: str,
    paired: Collection[str],
) -> dict[str, MetricScores]:
    """Means over test sets, for each metric and comparison that all of them have."""
    averages = {}
    for metric in sets[0]:
        if not all(metric in scores for scores in sets):
            continue
        parts = [scores[metric] for scores in sets]
        means = {
            name: average_runs([runs[metric][name] for runs in sampled])
            for name in (_OWN, *parts[0].comparisons)
            if all(name in runs[metric] for runs in sampled)
        }
        averages[metric] = _scores(
            _means([part.runs for part in parts]),
            _means([part.lengths for part in parts]),
            {name: _compare(means, name, paired) for name in means if name != _OWN},
            baseline,
            sampling_stdev=None,
            signature=parts[0].signature,
        )
    return averages


def _scores(
    runs: list[float],
    lengths: list[float],
    comparisons: dict[str, SystemComparison],
    baseline: str,
    *,
    sampling_stdev: float | None,
    signature: str,
) -> MetricScores:
    """Means and spreads over runs, and the comparison with the baseline."""
    against = vars(comparisons[baseline]) if baseline in comparisons else {}
    return MetricScores(
        runs=runs,
        mean=statistics.fmean(runs),
        stdev=statistics.stdev(runs) if len(runs) > 1 else None,
        sampling_stdev=sampling_stdev,
        signature=signature,
        lengths=lengths,
        length=statistics.fmean(lengths) if lengths else None,
        comparisons=comparisons,
        **{name: against[name] for name in ("difference", "low", "high", "p_value") if against},
    )


def _compare(sampled: Sampled, other: str, paired: Collection[str]) -> SystemComparison:
    """Return the comparison of the system with another one."""
    found = compare_runs(sampled[_OWN], sampled[other], paired=other in paired)
    if math.isinf(found.deviation):
        return SystemComparison(found.difference, paired=other in paired)
    return SystemComparison(
        found.difference,
        found.low,
        found.high,
        found.p_value,
        found.deviation,
        found.freedom,
        other in paired,
    )


def _means(sets: Sequence[Sequence[float]]) -> list[float]:
    """The mean over test sets for each run."""
    return [statistics.fmean(values) for values in zip(*sets, strict=True)]
