"""Cluster the words of a text into classes and their tree (rule cluster_words)."""

from typing import TYPE_CHECKING

from nlmt.classes import METHODS, read_bigrams, write_paths
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        bigrams = read_bigrams(snakemake.input.text)
        method = METHODS.get(snakemake.wildcards.method)
        clustering = method.cluster(bigrams, snakemake.params.classes)
        write_paths(clustering, snakemake.output.classes)
