"""Translate a split, or a shard of it, and write its n-best list (rules decode, decode_shard)."""

import logging
from pathlib import Path

from nlmt.decoder import NbestRequest, open_engine
from nlmt.io.files import write_lines
from nlmt.io.json_files import write_json
from nlmt.io.shards import Shard
from nlmt.io.weights import read_weights
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        engine = open_engine(
            snakemake.input.ini, snakemake.params.decoder, threads=snakemake.threads
        )
        engine.set_weights(read_weights(snakemake.input.weights))
        nbest = NbestRequest(
            Path(snakemake.output.nbest),
            snakemake.params.nbest,
            distinct=True,
            alignment=snakemake.params.alignment,
        )
        source = Path(snakemake.input.source)
        first, lines = Shard.parse(snakemake.wildcards.get("scatteritem", "")).read(source)
        translations = engine.translate(lines, nbest=nbest, source=source, first=first)
        write_lines(snakemake.output.hypotheses, (best.text for best in translations))
        write_json(snakemake.output.metrics, {"decoder": engine.facts})
        logging.info("translated by %(engine)s %(version)s", engine.facts)
