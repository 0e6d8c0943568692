"""Write the tuples of a word-aligned text (rule extract_tuples)."""

import logging
from pathlib import Path

from nlmt.tuples import extract_tuples
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        inputs = snakemake.input
        paths = [Path(path) for path in (inputs.source, inputs.target, inputs.aligned)]
        logging.info("%s", extract_tuples(*paths, Path(snakemake.output.tuples)))
