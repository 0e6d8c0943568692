"""Write the translations of a set as text, with their case (rule finish_translations)."""

from pathlib import Path

from nlmt.io.files import read_lines, write_lines
from nlmt.text import Tokenisation, read_words
from nlmt.translation import Finisher, Recaser
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        forms = snakemake.input.recaser
        finish = Finisher(
            snakemake.wildcards.tgt,
            snakemake.params.casing,
            Recaser(Path(forms[0]).parent) if forms else None,
        )
        tokenise = Tokenisation(**snakemake.params.tokenisation).of(snakemake.wildcards.src)
        sources = [tokenise(line) for line in read_lines(snakemake.input.source)]
        hypotheses = read_words(snakemake.input.hypotheses, pieces=snakemake.params.pieces)
        texts = finish(sources, hypotheses)
        write_lines(snakemake.output.text, texts)
