"""Gather text for language models, unknown words as <unk> (rule restrict_vocabulary)."""

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nlmt.io.files import read_lines, write_lines
from nlmt.runlog import log_to_file
from nlmt.text import bitext_vocabulary, restrict_vocabulary, tokenise_lines

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def further_lines(path: str) -> Iterator[str]:
    """Tokenise a user's monolingual text; drop what would be dropped of the bitext."""
    raw = list(read_lines(path))
    tokenised = tokenise_lines(raw, snakemake.wildcards.tgt, snakemake.threads)
    kept = [line for line in tokenised if 0 < line.count(" ") + 1 <= snakemake.params.max_length]
    logging.info("%s: %d of %d lines kept", path, len(kept), len(raw))
    yield from kept


if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        lines = list(read_lines(snakemake.input.bitext))
        vocabulary = bitext_vocabulary(lines)
        for path in snakemake.input.monolingual:
            lines += further_lines(path)
        write_lines(snakemake.output.text, restrict_vocabulary(lines, vocabulary))
