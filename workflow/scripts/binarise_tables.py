"""Write both tables as one file that the decoder maps (rule binarise_tables)."""

from pathlib import Path

from nlmt.decoder import binarise_tables
from nlmt.workflow.job import workflow_job

# The rest is for the vocabulary.
SHARE = 0.7

if __name__ == "__main__":
    with workflow_job(snakemake):
        binarise_tables(
            Path(snakemake.input.phrase_table),
            Path(snakemake.input.reordering_table),
            Path(snakemake.output.tables),
            memory=int(SHARE * snakemake.resources.mem_mb * 2**20),
            threads=snakemake.threads,
        )
