"""Extract a set from another corpus (rule extract_held_out)."""

import logging
from pathlib import Path

from nlmt.corpora import Extraction, SplitSettings, read_corpora
from nlmt.io.json_files import write_json
from nlmt.settings_check import read_settings
from nlmt.text import Tokeniser
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        params, output = snakemake.params, snakemake.output
        name, part = params.origin
        languages = snakemake.wildcards.src, snakemake.wildcards.tgt
        training = [Path(path) for path in snakemake.input.training]
        counts = Extraction(
            name,
            read_corpora(params.corpora)[name],
            languages,
            read_settings(SplitSettings, params.split),
            (Tokeniser(languages[0]).count, Tokeniser(languages[1]).count),
            seed=int(params.seed),
            training=[(training[0], training[1])] if training else [],
            threads=snakemake.threads,
        ).write({part: (Path(output.source), Path(output.target))}, params.parts)
        write_json(output.counts, counts)
        logging.info("%s", counts)
