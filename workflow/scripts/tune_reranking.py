"""Tune weights over a rescored n-best list of the tuning set (rule tune_reranking)."""

from typing import TYPE_CHECKING

from nlmt.io.files import read_lines
from nlmt.io.nbest import read_nbest
from nlmt.io.weights import read_weights, write_weights
from nlmt.runlog import log_to_file
from nlmt.tuning import RerankingOptions, tune_reranking

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        options = RerankingOptions(seed=snakemake.params.seed, **snakemake.params.options)
        weights, value = tune_reranking(
            [read_nbest(snakemake.input.nbest)],
            [list(read_lines(snakemake.input.reference))],
            read_weights(snakemake.input.initial),
            options,
            threads=snakemake.threads,
        )
        write_weights(
            snakemake.output.weights, weights, **{options.objective: value, "seed": options.seed}
        )
