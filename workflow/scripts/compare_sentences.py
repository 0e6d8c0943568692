"""Show the sentences that changed most against the baseline (rule compare_sentences)."""

from pathlib import Path
from typing import TYPE_CHECKING

from nlmt.io.files import read_lines
from nlmt.report import write_side_by_side
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        write_side_by_side(
            Path(snakemake.output.page),
            tuple(snakemake.params.names),
            list(read_lines(snakemake.input.source)),
            [list(read_lines(snakemake.input.reference))],
            list(read_lines(snakemake.input.baseline)),
            list(read_lines(snakemake.input.hypotheses)),
        )
