"""Learn the usual case of words (rule train_truecaser)."""

from nlmt.io.files import read_lines
from nlmt.text import Tokenisation, Truecaser, tokenise_lines
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        lines = tokenise_lines(
            read_lines(snakemake.input.text),
            snakemake.wildcards.lang,
            snakemake.threads,
            tokenisation=Tokenisation(**snakemake.params.tokenisation),
        )
        Truecaser.train(lines).write(snakemake.output.words)
