"""Join the sizes of the texts of all pairs of a task (rule write_corpus_statistics)."""

from nlmt.text import join_sizes
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        tables = dict(zip(snakemake.params.pairs, snakemake.input.sizes, strict=True))
        join_sizes(snakemake.output.table, tables)
