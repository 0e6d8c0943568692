"""Normalise, tokenise and lower-case one part of a bitext (rule prepare_text)."""

import json
import logging
from typing import TYPE_CHECKING

from nlmt.io.files import write_lines, write_text
from nlmt.runlog import log_to_file
from nlmt.text import prepare_bitext

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        training = snakemake.wildcards.split == "train"
        prepared = prepare_bitext(
            snakemake.input.source,
            snakemake.input.target,
            (snakemake.wildcards.src, snakemake.wildcards.tgt),
            max_length=int(snakemake.params.max_length) if training else None,
            threads=snakemake.threads,
        )
        write_lines(snakemake.output.source, prepared.source)
        write_lines(snakemake.output.target, prepared.target)
        write_text(snakemake.output.counts, json.dumps(prepared.counts, indent=2) + "\n")
        logging.info("%s", prepared.counts)
