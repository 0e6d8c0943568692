"""Write texts as numbers that training maps into memory (rules encode_text, encode_texts)."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from nlmt.neural import encode_texts
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        texts = [Path(path) for path in snakemake.input.texts]
        ids = Path(snakemake.output.ids)
        outputs = [ids]
        if len(texts) > 1:  # one vocabulary, and a file for each in a folder
            ids.mkdir()
            outputs = [ids / f"{text.name.removesuffix('.gz')}.ids" for text in texts]
        least = int(snakemake.wildcards.least)
        vocabulary, _ = encode_texts(texts, outputs, min_count=least)
        logging.info("words in the vocabulary: %d", len(vocabulary))
