"""Extract a set from another corpus (rule extract_held_out)."""

import logging
from pathlib import Path

from nlmt.corpora import Extraction, SplitSettings, read_corpora
from nlmt.io.files import write_lines
from nlmt.io.json_files import write_json
from nlmt.settings_check import read_settings
from nlmt.text import Tokeniser
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        params = snakemake.params
        name, part = params.origin
        languages = snakemake.wildcards.src, snakemake.wildcards.tgt
        training = [Path(path) for path in snakemake.input.training]
        bitext = Extraction(
            name,
            read_corpora(params.corpora)[name],
            languages,
            read_settings(SplitSettings, params.split),
            (Tokeniser(languages[0]).count, Tokeniser(languages[1]).count),
            seed=int(params.seed),
            training=[(training[0], training[1])] if training else [],
            threads=snakemake.threads,
        ).bitext(params.parts)
        for side, output in enumerate((snakemake.output.source, snakemake.output.target)):
            write_lines(output, (sides[side] for sides in bitext.parts[part]))
        write_json(snakemake.output.counts, bitext.counts)
        logging.info("%s", bitext.counts)
