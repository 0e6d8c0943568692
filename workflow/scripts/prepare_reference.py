"""Tokenise a further reference of a set (rule prepare_reference)."""

from typing import TYPE_CHECKING

from nlmt.io.files import read_lines, write_lines
from nlmt.runlog import log_to_file
from nlmt.text import tokenise_lines

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        raw = read_lines(snakemake.input.raw)
        write_lines(snakemake.output.text, tokenise_lines(raw, snakemake.wildcards.tgt))
