"""Join the shards of a prepared text (rule gather_text_shards)."""

import json
import logging

from nlmt.io.files import write_text
from nlmt.io.json_files import read_json
from nlmt.text import gather_shards
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        counts = gather_shards(
            list(zip(snakemake.input.source, snakemake.input.target, strict=True)),
            [read_json(path) for path in snakemake.input.counts],
            (snakemake.output.source, snakemake.output.target),
        )
        write_text(snakemake.output.counts, json.dumps(counts, indent=2) + "\n")
        logging.info("%s", counts)
