"""Attach target words without links to tuples (rule attach_unlinked_words)."""

from pathlib import Path

from nlmt.tuples import attach_unlinked
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        inputs = snakemake.input
        paths = (inputs.source, inputs.target, inputs.aligned, inputs.lexicon)
        attach_unlinked(*map(Path, paths), Path(snakemake.output.aligned))
