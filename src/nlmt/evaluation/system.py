"""The scores of a system over its runs and test sets, beside a baseline's."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.evaluation.metric import Metric
from nlmt.evaluation.metrics import TOKENISED, detokenised_metrics
from nlmt.evaluation.significance import (
    approximate_randomisation,
    paired_bootstrap,
    sampling_deviation,
)
from nlmt.text import Detokeniser

AVERAGE = "average"
DETOKENISED = "detokenised "  # before the names of metrics of detokenised text


@dataclass(frozen=True)
class EvaluationSet:
    """The translations of a test set by all runs of a system.

    Attributes:
        name: of the set.
        hypotheses: of each run, a line a sentence, tokenised.
        baseline: the same by the baseline, as many runs.
        references: one or more sets of lines, tokenised.
        raw_references: the same as running text; with them detokenised text is scored too.
        language: of the translations; needed for detokenising them.
    """

    name: str
    hypotheses: Sequence[Sequence[str]]
    baseline: Sequence[Sequence[str]]
    references: Sequence[Sequence[str]]
    raw_references: Sequence[Sequence[str]] = ()
    language: str = ""


@dataclass(frozen=True)
class MetricScores:
    """Scores of all runs by one metric on one test set, or averaged over test sets.

    Attributes:
        runs: of each run, 0 to 100.
        mean: over the runs.
        stdev: sample standard deviation between the runs; None of a single run.
        sampling_stdev: that which the choice of the test sentences causes, by the bootstrap within
            each run; None of averages.
        signature: sacreBLEU's.
        difference: mean less that of the baseline; None for the baseline itself.
        p_bootstrap: paired bootstrap over all runs, one-sided; None for the baseline and averages.
        p_randomisation: approximate randomisation over all runs, two-sided; None likewise.
        run_p_values: paired bootstrap of each run with the baseline's run of the same number.
    """

    runs: list[float]
    mean: float
    stdev: float | None
    sampling_stdev: float | None
    signature: str
    difference: float | None = None
    p_bootstrap: float | None = None
    p_randomisation: float | None = None
    run_p_values: tuple[float, ...] = ()


@dataclass(frozen=True)
class SystemScores:
    """What `eval/<system>.json` holds.

    Attributes:
        system: its name in the configuration.
        label: its name in tables.
        seeds: of the runs.
        baseline: the name of the system it is compared with.
        resamples: draws of the bootstrap, and trials of the randomisation.
        scores: test set, `average` where there are several, to metric to scores.
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
    resamples: int = 1000,
    seed: int = 1,
    threads: int = 1,
) -> SystemScores:
    """Score all runs of a system by BLEU, TER and chrF, and compare them with the baseline's.

    Args:
        system: the system's name.
        test_sets: with the translations of each run.
        baseline: the baseline's name; may be the system itself.
        seeds: one for each run.
        label: the system's name in tables; empty: `system`.
        resamples: draws of the bootstrap and trials of the randomisation.
        seed: of both.
        threads: the result does not depend on it.

    Raises:
        InputError: numbers of runs or of lines differ; two test sets of the same name, or none.
    """
    names = [test_set.name for test_set in test_sets]
    if not names or len(set(names)) < len(names) or AVERAGE in names:
        raise InputError(f"test sets named {', '.join(names) or 'nothing'}", hint="a name for each")
    compared = system != baseline
    scores: dict[str, dict[str, MetricScores]] = {}
    for test_set in test_sets:
        if len(seeds) != len(test_set.hypotheses):
            raise InputError(
                f"{system}: {len(test_set.hypotheses)} runs, but {len(seeds)} seeds",
            )
        scores[test_set.name] = {}
        for name, metric, texts in _ways(test_set):
            scores[test_set.name][name] = _evaluate(
                metric, texts, compared, resamples, seed, threads
            )
    if len(names) > 1:
        scores[AVERAGE] = _average(list(scores.values()))
    return SystemScores(
        system=system,
        label=label or system,
        seeds=list(seeds),
        baseline=baseline,
        resamples=resamples,
        scores=scores,
    )


def _ways(test_set: EvaluationSet) -> list[tuple[str, Metric, EvaluationSet]]:
    """Name, metric and texts of each way to score a test set."""
    ways = [(metric.name, metric, test_set) for metric in TOKENISED]
    if test_set.raw_references:
        detokenise = Detokeniser(test_set.language)
        texts = EvaluationSet(
            test_set.name,
            [[detokenise(line) for line in run] for run in test_set.hypotheses],
            [[detokenise(line) for line in run] for run in test_set.baseline],
            test_set.raw_references,
        )
        ways += [
            (DETOKENISED + metric.name, metric, texts)
            for metric in detokenised_metrics(test_set.language)
        ]
    return ways


def _evaluate(
    metric: Metric, texts: EvaluationSet, compared: bool, resamples: int, seed: int, threads: int
) -> MetricScores:
    def count(runs: Sequence[Sequence[str]]) -> list[NDArray[np.int32]]:
        return [metric.statistics(run, texts.references, threads=threads) for run in runs]

    official = [metric.corpus_score(run, texts.references) for run in texts.hypotheses]
    values = [score.value for score in official]
    system = count(texts.hypotheses)
    comparison: dict[str, Any] = {}
    if compared:
        baseline = count(texts.baseline)
        bootstrap = paired_bootstrap(metric, system, baseline, resamples=resamples, seed=seed)
        randomisation = approximate_randomisation(
            metric, system, baseline, trials=resamples, seed=seed
        )
        comparison = {
            "difference": bootstrap.difference,
            "p_bootstrap": bootstrap.p_value,
            "p_randomisation": randomisation.p_value,
            "run_p_values": tuple(bootstrap.run_p_values),
        }
    return MetricScores(
        runs=values,
        mean=statistics.fmean(values),
        stdev=statistics.stdev(values) if len(values) > 1 else None,
        sampling_stdev=sampling_deviation(metric, system, resamples=resamples, seed=seed),
        signature=official[0].signature,
        **comparison,
    )


def _average(sets: Sequence[Mapping[str, MetricScores]]) -> dict[str, MetricScores]:
    """The mean over test sets, for each metric that all of them have."""
    averages = {}
    for name in sets[0]:
        if not all(name in scores for scores in sets):
            continue
        parts = [scores[name] for scores in sets]
        runs = [statistics.fmean(values) for values in zip(*(p.runs for p in parts), strict=True)]
        differences = [part.difference for part in parts if part.difference is not None]
        averages[name] = MetricScores(
            runs=runs,
            mean=statistics.fmean(runs),
            stdev=statistics.stdev(runs) if len(runs) > 1 else None,
            sampling_stdev=None,
            signature=parts[0].signature,
            difference=statistics.fmean(differences) if differences else None,
        )
    return averages
