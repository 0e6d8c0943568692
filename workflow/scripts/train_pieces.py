"""Learn the pieces of the words of a language (rule train_pieces)."""

from nlmt.io.files import read_lines, scratch_folder, write_lines
from nlmt.text import Tokenisation, tokenise_lines, train_pieces
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake), scratch_folder(snakemake.output.model) as scratch:
        lines = tokenise_lines(
            read_lines(snakemake.input.text),
            snakemake.wildcards.lang,
            snakemake.threads,
            tokenisation=Tokenisation(**snakemake.params.tokenisation),
        )
        write_lines(scratch / "text.gz", lines)
        train_pieces(scratch / "text.gz", snakemake.output.model, size=snakemake.params.size)
