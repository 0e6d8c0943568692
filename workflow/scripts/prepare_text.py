"""Normalise, tokenise and lower-case a bitext or a shard of it (prepare_text, prepare_shard)."""

import logging

from nlmt.io.json_files import write_json
from nlmt.io.shards import Shard
from nlmt.text import Tokenisation, prepare_bitext
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        counts = prepare_bitext(
            snakemake.input.source,
            snakemake.input.target,
            (snakemake.wildcards.src, snakemake.wildcards.tgt),
            (snakemake.output.source, snakemake.output.target),
            max_length=snakemake.params.max_length,
            shard=Shard.parse(snakemake.wildcards.get("scatteritem", "")),
            **(snakemake.params.get("sample", {}) if snakemake.wildcards.split == "train" else {}),
            tokenisation=Tokenisation(**snakemake.params.tokenisation),
            threads=snakemake.threads,
        )
        write_json(snakemake.output.counts, counts)
        logging.info("%s", counts)
