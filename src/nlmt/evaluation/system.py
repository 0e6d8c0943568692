"""The scores of a system over its runs, beside a baseline's."""

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nlmt.errors import InputError
from nlmt.evaluation.bleu import corpus_bleu, sentence_statistics
from nlmt.evaluation.significance import paired_bootstrap


@dataclass(frozen=True)
class SystemScores:
    """What `eval/<system>.json` holds.

    Attributes:
        system: its name in the configuration.
        label: its name in tables.
        seeds: of the runs.
        bleu: of each run, 0 to 100.
        mean: over the runs.
        stdev: sample standard deviation over the runs; 0 of a single run.
        signature: sacreBLEU's.
        baseline: the name of the system it is compared with.
        difference: mean BLEU less that of the baseline; None for the baseline itself.
        p_value: paired bootstrap over all runs; None for the baseline itself.
        run_p_values: paired bootstrap of each run with the baseline's run of the same seed.
        resamples: draws of the bootstrap.
    """

    system: str
    label: str
    seeds: list[int]
    bleu: list[float]
    mean: float
    stdev: float
    signature: str
    baseline: str
    difference: float | None
    p_value: float | None
    run_p_values: list[float]
    resamples: int

    def to_dict(self) -> dict[str, Any]:
        """All fields under their names, ready for JSON."""
        return asdict(self)


def evaluate_system(
    system: str,
    hypotheses: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    *,
    baseline: str,
    baseline_hypotheses: Sequence[Sequence[str]],
    seeds: Sequence[int],
    label: str = "",
    resamples: int = 1000,
    seed: int = 1,
) -> SystemScores:
    """Score all runs of a system, and compare them with the baseline's.

    Args:
        system: the system's name.
        hypotheses: the translations of each run.
        references: one or more sets of lines.
        baseline: the baseline's name; may be the system itself.
        baseline_hypotheses: the translations of each of its runs.
        seeds: one for each run.
        label: the system's name in tables; empty: `system`.
        resamples: draws of the bootstrap.
        seed: of the bootstrap.

    Raises:
        InputError: numbers of runs or of lines differ.
    """
    if len(seeds) != len(hypotheses):
        raise InputError(f"{system}: {len(hypotheses)} runs, but {len(seeds)} seeds")
    scores = [corpus_bleu(run, references) for run in hypotheses]
    values = [score.value for score in scores]
    comparison = None
    if system != baseline:
        comparison = paired_bootstrap(
            [sentence_statistics(run, references) for run in hypotheses],
            [sentence_statistics(run, references) for run in baseline_hypotheses],
            resamples=resamples,
            seed=seed,
        )
    return SystemScores(
        system=system,
        label=label or system,
        seeds=list(seeds),
        bleu=values,
        mean=statistics.fmean(values),
        stdev=statistics.stdev(values) if len(values) > 1 else 0.0,
        signature=scores[0].signature,
        baseline=baseline,
        difference=comparison.difference if comparison else None,
        p_value=comparison.p_value if comparison else None,
        run_p_values=comparison.run_p_values if comparison else [],
        resamples=resamples,
    )
