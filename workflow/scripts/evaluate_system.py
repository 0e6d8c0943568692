"""Score all runs of a system and compare them with other systems (rule evaluate_system)."""

import logging

from nlmt.evaluation import EvaluationSet, evaluate_system, read_evaluation_set
from nlmt.io.json_files import read_json, write_json
from nlmt.workflow.job import workflow_job


def of_set(paths: list[str], name: str) -> list[str]:
    """The paths that belong to a test set; texts are named `<set>.<...>`."""
    return [path for path in paths if path.rpartition("/")[2].startswith(f"{name}.")]


def of_others(paths: list[str], name: str) -> dict[str, list[str]]:
    """The paths of a test set by the system to compare with; empty without any paths."""
    found, runs = of_set(paths, name), len(snakemake.params.seeds)
    return {
        other: found[place * runs : (place + 1) * runs]
        for place, other in enumerate(snakemake.params.others if found else ())
    }


def evaluation_set(name: str) -> EvaluationSet:
    """The translations of a test set by all runs, and by the systems to compare with."""
    return read_evaluation_set(
        name,
        of_set(snakemake.input.hypotheses, name),
        of_set(snakemake.input.references, name),
        others=of_others(snakemake.input.others, name),
        raw_references=of_set(snakemake.input.raw_references, name),
        language=snakemake.wildcards.tgt,
        source=next(iter(of_set(snakemake.input.raw_sources, name)), None),
        texts=of_set(snakemake.input.texts, name),
        other_texts=of_others(snakemake.input.other_texts, name),
        pieces=snakemake.params.pieces,
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
            segment_metrics=snakemake.params.metrics,
        )
        for metric, values in scores.scores[snakemake.params.test_sets[0]].items():
            logging.info("%s: %s %.2f", scores.system, metric, values.mean)
        facts = {**scores.to_dict(), **read_json(snakemake.input.decoded)}
        write_json(snakemake.output.scores, facts)
