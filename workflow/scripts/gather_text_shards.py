"""Join the shards of a prepared text (rule gather_text_shards)."""

import logging

from nlmt.io.json_files import read_json, write_json
from nlmt.text import gather_shards
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        counts = gather_shards(
            list(zip(snakemake.input.source, snakemake.input.target, strict=True)),
            [read_json(path) for path in snakemake.input.counts],
            (snakemake.output.source, snakemake.output.target),
        )
        write_json(snakemake.output.counts, counts)
        logging.info("%s", counts)
