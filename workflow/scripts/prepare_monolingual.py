"""Tokenise a corpus' text of the target language alone (rule prepare_monolingual)."""

from typing import TYPE_CHECKING

from nlmt.corpora import monolingual_text, read_corpora, text_of
from nlmt.io.files import read_lines
from nlmt.text import Tokenisation, prepare_monolingual
from nlmt.workflow.job import workflow_job

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with workflow_job(snakemake):
        name, language = snakemake.wildcards.corpus, snakemake.wildcards.tgt
        corpus = read_corpora(snakemake.params.corpora)[name]
        held_out = [line for path in snakemake.input.held_out for line in read_lines(path)]
        prepare_monolingual(
            monolingual_text(text_of(name, corpus, language), held_out),
            language,
            snakemake.output.text,
            max_length=int(snakemake.params.max_length),
            tokenisation=Tokenisation(**snakemake.params.tokenisation),
            threads=snakemake.threads,
        )
