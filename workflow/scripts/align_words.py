"""Align the words of the training text in both directions (rule align_words)."""

from pathlib import Path

from nlmt.alignment import align
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        align(
            Path(snakemake.input.source),
            Path(snakemake.input.target),
            Path(snakemake.output.forward),
            Path(snakemake.output.backward),
            seed=snakemake.params.seed,
            threads=snakemake.threads,
        )
