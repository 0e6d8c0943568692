"""Cluster the words of texts into classes and their tree (rule cluster_words)."""

from nlmt.classes import class_measures, cluster_words, read_bigrams, write_paths
from nlmt.io.json_files import write_json
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        method, _, count = snakemake.wildcards.method.partition(".")
        classes = int(count) if count else snakemake.params.classes
        options = snakemake.params.options
        bigrams = read_bigrams(*snakemake.input.texts)
        clustering = cluster_words(method, bigrams, classes, options)
        write_paths(clustering, snakemake.output.classes)
        measures = {"method": method, "options": options, **class_measures(clustering, bigrams)}
        write_json(snakemake.output.metrics, measures)
