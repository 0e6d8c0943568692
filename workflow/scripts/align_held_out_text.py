"""Align the words of a set, with links of the training text as priors (align_held_out_text)."""

from pathlib import Path

from nlmt.alignment import AlignedText, align, symmetrise
from nlmt.io.files import scratch_folder
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake), scratch_folder(snakemake.output.aligned) as folder:
        directions = folder / "forward", folder / "reverse"
        align(
            Path(snakemake.input.source),
            Path(snakemake.input.target),
            *directions,
            like=AlignedText(*map(Path, snakemake.input.like)),
            seed=snakemake.params.seed,
            threads=snakemake.threads,
        )
        symmetrise(*directions, Path(snakemake.output.aligned), snakemake.params.method)
