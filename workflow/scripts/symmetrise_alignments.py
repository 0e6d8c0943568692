"""Join the alignments of both directions (rule symmetrise_alignments)."""

from pathlib import Path
from typing import TYPE_CHECKING

from nlmt.alignment import symmetrise
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        symmetrise(
            Path(snakemake.input.forward),
            Path(snakemake.input.backward),
            Path(snakemake.output.aligned),
            snakemake.params.method,
        )
