"""Learn the case of the target side's words, for lower-cased translations (rule train_recaser)."""

from pathlib import Path

from nlmt.io.files import read_lines
from nlmt.ngram.training import job_memory
from nlmt.text import Tokenisation, tokenise_lines
from nlmt.translation import train_recaser
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        lines = tokenise_lines(
            read_lines(snakemake.input.text),
            snakemake.wildcards.tgt,
            snakemake.threads,
            tokenisation=Tokenisation(**snakemake.params.tokenisation),
        )
        train_recaser(
            lines,
            Path(snakemake.output.forms),
            Path(snakemake.output.model),
            memory=job_memory(snakemake.resources.get("mem_mb")),
        )
