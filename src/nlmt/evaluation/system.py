"""The scores of a system over runs and test sets, and its comparisons with other systems."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.evaluation.metric import Metric
from nlmt.evaluation.remembered import remembering
from nlmt.evaluation.significance import (
    Comparison,
    approximate_randomisation,
    critical_difference,
    paired_bootstrap,
    randomisation_p,
    sampling_deviation,
)
from nlmt.evaluation.standard import TOKENISED, detokenised_metrics
from nlmt.io.files import read_lines
from nlmt.text import Detokeniser

AVERAGE = "average"
METRICS = tuple(metric.name for metric in TOKENISED)
DETOKENISED = "detokenised "  # prefix of metrics of detokenised text

Lines = Sequence[str]
Nulls = Mapping[str, NDArray[np.float64]]  # differences after exchanges, by the other system


@dataclass(frozen=True)
class EvaluationSet:
    """The translations of a test set by all runs of a system.

    Attributes:
        name: of the set.
        hypotheses: of each run, one line per sentence, tokenised.
        references: one or more sets of lines, tokenised.
        others: translations, with as many runs, of systems to compare with, by name.
        raw_references: one or more references as running text; if given, detokenised text is
            scored, too.
        language: of the translations; needed for detokenising them.
    """

    name: str
    hypotheses: Sequence[Lines]
    references: Sequence[Lines]
    others: Mapping[str, Sequence[Lines]] = field(default_factory=dict)
    raw_references: Sequence[Lines] = ()
    language: str = ""


@dataclass(frozen=True)
class SystemComparison:
    """Comparison with another system, by one metric on one test set or averaged over test sets.

    Attributes:
        difference: mean over the runs minus that of the other system.
        p_bootstrap: paired bootstrap over all runs, one-sided; None for averages.
        p_randomisation: approximate randomisation over all runs, two-sided; for an average, over
            the sentences of all test sets, where each set has the same weight.
        run_p_values: paired bootstrap of each run with the other system's run of the same number.
        critical_difference: size that a difference must exceed for a `p_randomisation` below 0.05.
    """

    difference: float
    p_bootstrap: float | None = None
    p_randomisation: float | None = None
    run_p_values: tuple[float, ...] = ()
    critical_difference: float | None = None


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
        p_bootstrap: of the comparison with the baseline.
        p_randomisation: of the comparison with the baseline.
        run_p_values: of the comparison with the baseline.
        critical_difference: of the comparison with the baseline.
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
    p_bootstrap: float | None = None
    p_randomisation: float | None = None
    run_p_values: tuple[float, ...] = ()
    critical_difference: float | None = None
    comparisons: dict[str, SystemComparison] = field(default_factory=dict)


@dataclass(frozen=True)
class SystemScores:
    """The content of `eval/<system>.json`.

    Attributes:
        system: its name in the configuration.
        label: its name in tables.
        seeds: of the runs.
        baseline: name of the system with which tables compare.
        resamples: draws of the bootstrap, and trials of the randomisation.
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


def read_evaluation_set(
    name: str,
    hypotheses: Sequence[Path | str],
    references: Sequence[Path | str],
    *,
    others: Mapping[str, Sequence[Path | str]] | None = None,
    raw_references: Sequence[Path | str] = (),
    language: str = "",
) -> EvaluationSet:
    """Read the files of a test set.

    Args:
        name: of the set.
        hypotheses: translations, one file per run.
        references: one file for each reference.
        others: translations, one file per run, of systems to compare with, by name.
        raw_references: references as running text, one file for each.
        language: of the translations; needed with `raw_references`.

    Raises:
        InputError: no such file, or its number of lines is not the first reference's; names it.
    """

    def read(paths: Sequence[Path | str]) -> list[Lines]:
        texts: list[Lines] = []
        for path in paths:
            lines = list(read_lines(path))
            if len(lines) != len(first):
                raise InputError(
                    f"{len(lines)} lines, but {references[0]} has {len(first)}",
                    path=path,
                    hint="line i of each must belong to the same sentence",
                )
            texts.append(lines)
        return texts

    if not references:
        raise InputError(f"no references of the test set {name}")
    first = list(read_lines(references[0]))
    return EvaluationSet(
        name,
        read(hypotheses),
        [first, *read(references[1:])],
        {other: read(paths) for other, paths in (others or {}).items()},
        read(raw_references),
        language,
    )


def evaluate_system(
    system: str,
    test_sets: Sequence[EvaluationSet],
    *,
    baseline: str,
    seeds: Sequence[int],
    label: str = "",
    resamples: int = 1000,
    seed: int = 1,
    threads: int = 1,
    metrics: Sequence[str] = METRICS,
) -> SystemScores:
    """Score all runs of a system by several metrics; compare it with others.

    Args:
        system: the system's name.
        test_sets: with the translations of each run, and of the systems to compare with; comparison
            of the system with itself is left out.
        baseline: name of one of these systems, or of the system itself.
        seeds: one for each run.
        label: the system's name in tables; empty: `system`.
        resamples: draws of the bootstrap and trials of the randomisation.
        seed: of both.
        threads: the result does not depend on it.
        metrics: names among `METRICS`.

    Raises:
        InputError: numbers of runs or of lines differ; an unknown metric; two test sets of the same
            name, or none; translations of the baseline are missing.
    """
    names = [test_set.name for test_set in test_sets]
    if not names or len(set(names)) < len(names) or AVERAGE in names:
        raise InputError(f"test sets named {', '.join(names) or 'nothing'}", hint="a name for each")
    for metric in metrics:
        if metric not in METRICS:
            raise InputError(f"unknown metric {metric!r}", hint=f"one of {', '.join(METRICS)}")
    scores: dict[str, dict[str, MetricScores]] = {}
    nulls: list[dict[str, Nulls]] = []
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
                resamples=resamples,
                seed=seed + number,  # exchanges in one set are independent of those in another
                threads=threads,
            )
            for name, metric, texts in _views(replace(test_set, others=others), metrics)
        }
        scores[test_set.name] = {name: one for name, (one, _) in found.items()}
        nulls.append({name: null for name, (_, null) in found.items()})
    if len(names) > 1:
        scores[AVERAGE] = _average(list(scores.values()), nulls, baseline)
    return SystemScores(
        system=system,
        label=label or system,
        seeds=list(seeds),
        baseline=baseline,
        resamples=resamples,
        scores=scores,
    )


def _views(
    test_set: EvaluationSet, names: Sequence[str]
) -> list[tuple[str, Metric, EvaluationSet]]:
    """Name, metric and texts of each score of a test set."""

    def chosen(metrics: Sequence[Metric]) -> list[Metric]:
        return remembering(metric for metric in metrics if metric.name in names)

    views: list[tuple[str, Metric, EvaluationSet]]
    views = [(metric.name, metric, test_set) for metric in chosen(TOKENISED)]
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
            for metric in chosen(detokenised_metrics(test_set.language))
        ]
    return views


def _evaluate(
    metric: Metric,
    texts: EvaluationSet,
    *,
    baseline: str,
    resamples: int,
    seed: int,
    threads: int,
) -> tuple[MetricScores, Nulls]:
    def count(runs: Sequence[Lines]) -> list[NDArray[np.int32]]:
        return [metric.statistics(run, texts.references, threads=threads) for run in runs]

    system = count(texts.hypotheses)
    scored = [metric.corpus_score(run, texts.references) for run in texts.hypotheses]
    values = [score.value for score in scored]
    ratios = [metric.length_ratio(run.sum(axis=0, dtype=np.int64)) for run in system]
    lengths = [ratio for ratio in ratios if ratio is not None]
    comparisons, nulls = {}, {}
    for other, runs in texts.others.items():
        against = count(runs)
        bootstrap = paired_bootstrap(metric, system, against, resamples=resamples, seed=seed)
        randomisation = approximate_randomisation(
            metric, system, against, trials=resamples, seed=seed
        )
        comparisons[other] = _comparison(bootstrap, randomisation)
        nulls[other] = randomisation.null
    scores = MetricScores(
        runs=values,
        mean=statistics.fmean(values),
        stdev=statistics.stdev(values) if len(values) > 1 else None,
        sampling_stdev=sampling_deviation(metric, system, resamples=resamples, seed=seed),
        signature=scored[0].signature,
        lengths=lengths,
        length=statistics.fmean(lengths) if lengths else None,
        **(asdict(comparisons[baseline]) if baseline in comparisons else {}),
        comparisons=comparisons,
    )
    return scores, nulls


def _comparison(bootstrap: Comparison, randomisation: Comparison) -> SystemComparison:
    """A comparison, from both tests of its difference."""
    return SystemComparison(
        bootstrap.difference,
        bootstrap.p_value,
        randomisation.p_value,
        tuple(bootstrap.run_p_values),
        randomisation.critical,
    )


def _average(
    sets: Sequence[Mapping[str, MetricScores]],
    nulls: Sequence[Mapping[str, Nulls]],
    baseline: str,
) -> dict[str, MetricScores]:
    """Means over test sets, for each metric and comparison that all of them have."""
    averages = {}
    for name in sets[0]:
        if not all(name in scores for scores in sets):
            continue
        parts = [scores[name] for scores in sets]
        runs = _means([part.runs for part in parts])
        lengths = _means([part.lengths for part in parts])
        comparisons = {
            other: _average_comparison(
                [part.comparisons[other].difference for part in parts],
                [null[name][other] for null in nulls],
            )
            for other in parts[0].comparisons
            if all(other in part.comparisons for part in parts)
        }
        averages[name] = MetricScores(
            runs=runs,
            mean=statistics.fmean(runs),
            stdev=statistics.stdev(runs) if len(runs) > 1 else None,
            sampling_stdev=None,
            signature=parts[0].signature,
            lengths=lengths,
            length=statistics.fmean(lengths) if lengths else None,
            **(asdict(comparisons[baseline]) if baseline in comparisons else {}),
            comparisons=comparisons,
        )
    return averages


def _average_comparison(
    differences: Sequence[float], nulls: Sequence[NDArray[np.float64]]
) -> SystemComparison:
    """The mean difference over test sets, with outputs exchanged in all sets at once."""
    difference, null = statistics.fmean(differences), np.mean(nulls, axis=0)
    return SystemComparison(
        difference,
        p_randomisation=randomisation_p(difference, null),
        critical_difference=critical_difference(null),
    )


def _means(sets: Sequence[Sequence[float]]) -> list[float]:
    """The mean over test sets for each run."""
    return [statistics.fmean(values) for values in zip(*sets, strict=True)]
