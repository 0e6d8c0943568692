"""Show the sentences that changed most against the baseline (rule compare_sentences)."""

from typing import TYPE_CHECKING

from nlmt.io.files import read_lines
from nlmt.report import compare_sentences, write_changes, write_side_by_side
from nlmt.workflow.job import workflow_job

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with workflow_job(snakemake):
        changes = compare_sentences(
            tuple(snakemake.params.names),
            list(read_lines(snakemake.input.source)),
            [list(read_lines(path)) for path in snakemake.input.references],
            list(read_lines(snakemake.input.baseline)),
            list(read_lines(snakemake.input.hypotheses)),
        )
        write_changes(snakemake.output.changes, changes)
        write_side_by_side(snakemake.output.page, changes)
