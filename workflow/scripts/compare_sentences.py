"""Show the sentences that changed most against the baseline (rule compare_sentences)."""

import logging

from nlmt.report import compare_sentences, write_changes, write_side_by_side
from nlmt.text import read_words
from nlmt.workflow.job import mixed_code_warnings, workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        warnings = mixed_code_warnings(snakemake)
        for warning in warnings:
            logging.warning(warning)
        in_source, in_target = snakemake.params.pieces
        changes = compare_sentences(
            tuple(snakemake.params.names),
            read_words(snakemake.input.source, pieces=in_source),
            [read_words(path, pieces=in_target) for path in snakemake.input.references],
            read_words(snakemake.input.baseline, pieces=in_target),
            read_words(snakemake.input.hypotheses, pieces=in_target),
        )
        write_changes(snakemake.output.changes, changes)
        write_side_by_side(snakemake.output.page, changes, warnings)
