"""Extract one language pair of a corpus and split it (rule extract_bitext)."""

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from nlmt.corpora import SplitConfig, extract_bitext, read_corpus
from nlmt.io.files import write_lines, write_text
from nlmt.runlog import log_to_file
from nlmt.text import Tokeniser

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def as_paths(inputs: str | list[str]) -> list[Path]:
    """A named input is one path or a list of them."""
    return [Path(path) for path in ([inputs] if isinstance(inputs, str) else inputs)]


if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        bitext = extract_bitext(
            read_corpus(snakemake.params.name, snakemake.params.corpus),
            as_paths(snakemake.input.source),
            as_paths(snakemake.input.target),
            SplitConfig(seed=int(snakemake.params.seed), **snakemake.params.split),
            Tokeniser(snakemake.wildcards.src).count,
            Tokeniser(snakemake.wildcards.tgt).count,
            threads=snakemake.threads,
        )
        for part in snakemake.params.parts:
            pairs = getattr(bitext, part)
            for side, name in enumerate(("source", "target")):
                write_lines(snakemake.output[f"{part}_{name}"], (pair[side] for pair in pairs))
        write_text(snakemake.output.counts, json.dumps(bitext.counts, indent=2) + "\n")
        logging.info("%s", bitext.counts)
