"""Tune weights over a rescored n-best list of the tuning set (rule tune_reranking)."""

from nlmt.io.files import read_lines
from nlmt.io.nbest_scores import read_scored
from nlmt.io.weights import read_weights, write_weights
from nlmt.settings_check import read_settings
from nlmt.tuning import RerankingSettings, tune_reranking
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        settings = read_settings(RerankingSettings, snakemake.params.options, where="rescoring")
        seed = snakemake.params.seed
        weights, outcome = tune_reranking(
            [read_scored(snakemake.input.nbest, snakemake.input.get("scores") or None)],
            [list(read_lines(path)) for path in snakemake.input.references],
            read_weights(snakemake.input.initial) if snakemake.input.initial else {},
            settings,
            seed=seed,
            threads=snakemake.threads,
        )
        write_weights(snakemake.output.weights, weights, **outcome.facts(), seed=seed)
