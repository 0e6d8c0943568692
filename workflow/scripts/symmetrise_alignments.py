"""Join the alignments of both directions (rule symmetrise_alignments)."""

from pathlib import Path

from nlmt.alignment import symmetrise
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        symmetrise(
            Path(snakemake.input.forward),
            Path(snakemake.input.backward),
            Path(snakemake.output.aligned),
            snakemake.params.method,
        )
