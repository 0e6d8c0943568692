"""Cluster the words of texts into classes and their tree (rule cluster_words)."""

from typing import TYPE_CHECKING

from nlmt.classes import METHODS, read_bigrams, write_paths
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        method, _, count = snakemake.wildcards.method.partition(".")
        classes = int(count) if count else snakemake.params.classes
        bigrams = read_bigrams(*snakemake.input.texts)
        clustering = METHODS.get(method).cluster(bigrams, classes)
        write_paths(clustering, snakemake.output.classes)
