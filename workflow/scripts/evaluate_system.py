"""Score all runs of a system and compare them with the baseline's (rule evaluate_system)."""

import json
import logging
from typing import TYPE_CHECKING

from nlmt.evaluation import evaluate_system, read_evaluation_set
from nlmt.io.files import write_text
from nlmt.io.json_files import read_json
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        scores = evaluate_system(
            snakemake.wildcards.system,
            [
                read_evaluation_set(
                    "test",
                    snakemake.input.hypotheses,
                    [snakemake.input.reference],
                    others={snakemake.params.baseline: snakemake.input.baseline},
                    raw_references=[snakemake.input.raw_reference],
                    language=snakemake.wildcards.tgt,
                )
            ],
            baseline=snakemake.params.baseline,
            seeds=snakemake.params.seeds,
            label=snakemake.params.label,
            resamples=snakemake.params.resamples,
            seed=snakemake.params.seed,
        )
        for metric, values in scores.scores["test"].items():
            logging.info("%s: %s %.2f", scores.system, metric, values.mean)
        facts = {**scores.to_dict(), **read_json(snakemake.input.decoded)}
        write_text(snakemake.output.scores, json.dumps(facts, indent=2) + "\n")
