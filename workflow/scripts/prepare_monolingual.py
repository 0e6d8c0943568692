"""Tokenise a corpus' text of the target language alone (rule prepare_monolingual)."""

from typing import TYPE_CHECKING

from nlmt.corpora import monolingual_text, read_corpora, text_of
from nlmt.io.files import read_lines
from nlmt.runlog import log_to_file
from nlmt.text import prepare_monolingual

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        name, language = snakemake.wildcards.corpus, snakemake.wildcards.tgt
        corpus = read_corpora(snakemake.params.corpora)[name]
        held_out = [line for path in snakemake.input.held_out for line in read_lines(path)]
        prepare_monolingual(
            monolingual_text(text_of(name, corpus, language), held_out),
            language,
            snakemake.output.text,
            max_length=int(snakemake.params.max_length),
            threads=snakemake.threads,
        )
