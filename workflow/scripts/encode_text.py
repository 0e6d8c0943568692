"""Write a text as numbers that training maps into memory (rule encode_text)."""

import logging
from typing import TYPE_CHECKING

from nlmt.neural import encode_texts
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        texts, outputs = [snakemake.input.text], [snakemake.output.ids]
        vocabulary, _ = encode_texts(texts, outputs, min_count=int(snakemake.wildcards.least))
        logging.info("words in the vocabulary: %d", len(vocabulary))
