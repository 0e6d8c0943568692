"""Extract one language pair of a corpus and split it (rule extract_bitext)."""

import logging
from collections.abc import Sequence
from pathlib import Path

from nlmt.corpora import Extraction, SplitSettings, read_corpora
from nlmt.io.json_files import write_json
from nlmt.settings_check import read_settings
from nlmt.text import Tokeniser
from nlmt.workflow.job import workflow_job


def pairs(paths: Sequence[str]) -> list[tuple[Path, Path]]:
    """Source and target of each of some texts."""
    return [(Path(one), Path(other)) for one, other in zip(paths[::2], paths[1::2], strict=True)]


if __name__ == "__main__":
    with workflow_job(snakemake):
        params, output, name = snakemake.params, snakemake.output, snakemake.params.name
        languages = snakemake.wildcards.src, snakemake.wildcards.tgt
        counts = Extraction(
            name,
            read_corpora(params.corpora)[name],
            languages,
            read_settings(SplitSettings, params.split),
            (Tokeniser(languages[0]).count, Tokeniser(languages[1]).count),
            seed=int(params.seed),
            held_out=pairs(snakemake.input.sets),
            threads=snakemake.threads,
        ).write(
            {
                part: (Path(output[f"{part}_source"]), Path(output[f"{part}_target"]))
                for part in params.parts
            }
        )
        write_json(output.counts, counts)
        logging.info("%s", counts)
