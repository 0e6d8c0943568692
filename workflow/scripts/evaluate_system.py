"""Score all runs of a system and compare them with other systems (rule evaluate_system)."""

import json
import logging
from typing import TYPE_CHECKING

from nlmt.evaluation import EvaluationSet, evaluate_system, read_evaluation_set
from nlmt.io.files import write_text
from nlmt.io.json_files import read_json
from nlmt.workflow.job import workflow_job

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def of_set(paths: list[str], name: str) -> list[str]:
    """The paths that belong to a test set; texts are named `<set>.<...>`."""
    return [path for path in paths if path.rpartition("/")[2].startswith(f"{name}.")]


def evaluation_set(name: str) -> EvaluationSet:
    """The translations of a test set by all runs, and by the systems to compare with."""
    others = of_set(snakemake.input.others, name)
    runs = len(snakemake.params.seeds)
    return read_evaluation_set(
        name,
        of_set(snakemake.input.hypotheses, name),
        of_set(snakemake.input.references, name),
        others={
            other: others[place * runs : (place + 1) * runs]
            for place, other in enumerate(snakemake.params.others)
        },
        raw_references=of_set(snakemake.input.raw_references, name),
        language=snakemake.wildcards.tgt,
    )


if __name__ == "__main__":
    with workflow_job(snakemake):
        scores = evaluate_system(
            snakemake.wildcards.system,
            [evaluation_set(name) for name in snakemake.params.test_sets],
            baseline=snakemake.params.baseline,
            seeds=snakemake.params.seeds,
            label=snakemake.params.label,
            paired=snakemake.params.paired,
            resamples=snakemake.params.resamples,
            seed=snakemake.params.seed,
            case=snakemake.params.case,
        )
        for metric, values in scores.scores[snakemake.params.test_sets[0]].items():
            logging.info("%s: %s %.2f", scores.system, metric, values.mean)
        facts = {**scores.to_dict(), **read_json(snakemake.input.decoded)}
        write_text(snakemake.output.scores, json.dumps(facts, indent=2) + "\n")
