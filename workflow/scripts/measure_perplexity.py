"""Perplexity of a language model of any kind on dev and test (rule measure_perplexity)."""

import json
import logging
from typing import TYPE_CHECKING

from nlmt.io.files import read_lines, write_text
from nlmt.rescoring import load_language_model
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        model = load_language_model(snakemake.input.model, threads=snakemake.threads)
        measured = {}
        for split in ("dev", "test"):
            perplexity = model.perplexity(read_lines(snakemake.input[split]))
            measured[split] = perplexity.to_dict()
            logging.info(
                "%s: perplexity %.2f (%.2f without %d words out of vocabulary)",
                split,
                perplexity.perplexity,
                perplexity.perplexity_without_oov,
                perplexity.oov,
            )
        write_text(snakemake.output.perplexity, json.dumps(measured, indent=2) + "\n")
