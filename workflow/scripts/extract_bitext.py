"""Extract one language pair of a corpus and split it (rule extract_bitext)."""

import json
import logging
from typing import TYPE_CHECKING

from nlmt.corpora import SplitSettings, extract_bitext, read_corpora
from nlmt.io.files import write_lines, write_text
from nlmt.runlog import log_to_file
from nlmt.settings import read_settings
from nlmt.text import Tokeniser

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        params, name = snakemake.params, snakemake.params.name
        languages = snakemake.wildcards.src, snakemake.wildcards.tgt
        bitext = extract_bitext(
            name,
            read_corpora(params.corpora)[name],
            languages,
            params.parts,
            read_settings(SplitSettings, params.split),
            (Tokeniser(languages[0]).count, Tokeniser(languages[1]).count),
            seed=int(params.seed),
            threads=snakemake.threads,
        )
        for part, texts in bitext.parts.items():
            for side, output in enumerate(("source", "target")):
                write_lines(snakemake.output[f"{part}_{output}"], (sides[side] for sides in texts))
        write_text(snakemake.output.counts, json.dumps(bitext.counts, indent=2) + "\n")
        logging.info("%s", bitext.counts)
