"""Tokenise the text of one language of a corpus (rule prepare_monolingual)."""

import logging
from typing import TYPE_CHECKING

from nlmt.corpora import read_corpora, text_of
from nlmt.io.files import write_lines
from nlmt.runlog import log_to_file
from nlmt.text import tokenise_lines

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        name, language = snakemake.wildcards.corpus, snakemake.wildcards.tgt
        raw = list(text_of(name, read_corpora(snakemake.params.corpora)[name], language))
        lines = tokenise_lines(raw, language, snakemake.threads)
        # As of the bitext: no empty lines, and none that are longer than its sentences.
        longest = snakemake.params.max_length
        kept = [line for line in lines if 0 < len(line.split()) <= longest]
        logging.info("%d of %d lines kept", len(kept), len(raw))
        write_lines(snakemake.output.text, kept)
