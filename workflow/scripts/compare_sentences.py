"""Show the sentences that changed most against the baseline (rule compare_sentences)."""

from pathlib import Path
from typing import TYPE_CHECKING

from nlmt.io.files import read_lines
from nlmt.jobs import workflow_job
from nlmt.report import write_side_by_side

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with workflow_job(snakemake):
        write_side_by_side(
            Path(snakemake.output.page),
            tuple(snakemake.params.names),
            list(read_lines(snakemake.input.source)),
            [list(read_lines(path)) for path in snakemake.input.references],
            list(read_lines(snakemake.input.baseline)),
            list(read_lines(snakemake.input.hypotheses)),
        )
