"""Join, sample and restrict a training text of language models (rule gather_text)."""

import logging
from typing import TYPE_CHECKING

from nlmt.io.files import read_lines, write_lines
from nlmt.runlog import log_to_file
from nlmt.text import Sample, frequent_words, restrict_vocabulary, sample_lines, tokenise_lines

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def monolingual_lines(path: str) -> list[str]:
    """Tokenise a user's text; drop what would be dropped of the bitext."""
    raw = list(read_lines(path))
    tokenised = tokenise_lines(raw, snakemake.wildcards.tgt, snakemake.threads)
    kept = [line for line in tokenised if 0 < line.count(" ") + 1 <= snakemake.params.max_length]
    logging.info("%s: %d of %d lines kept", path, len(kept), len(raw))
    return kept


if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        text = snakemake.params.text
        lines = [line for path in snakemake.input.texts for line in read_lines(path)]
        for path in snakemake.input.monolingual:
            lines += monolingual_lines(path)
        known = read_lines(snakemake.input.bitext) if text["vocabulary"] == "bitext" else lines
        vocabulary = frequent_words(known, text["min_count"], text["most_frequent"])
        sample = Sample(text["share"], text["sentences"], text["tokens"])
        chosen = sample_lines(lines, sample, seed=int(snakemake.params.seed))
        logging.info("%d of %d sentences", len(chosen), len(lines))
        write_lines(snakemake.output.text, restrict_vocabulary(chosen, vocabulary))
