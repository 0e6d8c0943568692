"""Filter both tables for the texts to translate (rules filter_tables, filter_shard)."""

from collections.abc import Iterator
from pathlib import Path

from nlmt.io.shards import Shard
from nlmt.phrases import filter_table, source_phrases
from nlmt.workflow.job import workflow_job


def lines() -> Iterator[str]:
    """The lines to translate with the tables: whole texts, or one shard of a text."""
    shard = Shard.parse(snakemake.wildcards.get("scatteritem", ""))
    for text in snakemake.input.texts:
        yield from shard.read(text)[1]


if __name__ == "__main__":
    with workflow_job(snakemake):
        phrases = source_phrases(lines())
        for name in ("phrase_table", "reordering_table"):
            filter_table(Path(snakemake.input[name]), phrases, Path(snakemake.output[name]))
