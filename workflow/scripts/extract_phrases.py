"""Extract and score phrase pairs or tuples (rules extract_phrases, extract_tuple_tables)."""

from pathlib import Path

from nlmt.phrases import TablePaths, build_tables
from nlmt.workflow.job import workflow_job

# The rest is for the vocabularies and the lexical tables.
SHARE = 0.7

if __name__ == "__main__":
    with workflow_job(snakemake):
        build_tables(
            Path(snakemake.input.source),
            Path(snakemake.input.target),
            Path(snakemake.input.aligned),
            TablePaths(
                phrase_table=Path(snakemake.output.phrase_table),
                reordering_table=Path(snakemake.output.reordering_table),
                f2e=Path(snakemake.output.f2e),
                e2f=Path(snakemake.output.e2f),
            ),
            units=snakemake.params.units,
            max_length=snakemake.params.max_length,
            threads=snakemake.threads,
            memory=int(SHARE * snakemake.resources.mem_mb * 2**20),
        )
