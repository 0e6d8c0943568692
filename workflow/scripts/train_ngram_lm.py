"""Estimate an n-gram language model with lmplz; write it as a KenLM trie (rule train_ngram_lm)."""

from typing import TYPE_CHECKING

from nlmt.ngram import train_binary
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        train_binary(
            snakemake.input.text, snakemake.output.model, order=int(snakemake.params.order)
        )
