"""Tokenise a further reference of a set (rule prepare_reference)."""

from nlmt.io.files import read_lines, write_lines
from nlmt.text import Tokenisation, tokenise_lines
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        lines = tokenise_lines(
            read_lines(snakemake.input.raw),
            snakemake.wildcards.tgt,
            tokenisation=Tokenisation(**snakemake.params.tokenisation),
        )
        write_lines(snakemake.output.text, lines)
