"""Keep what the texts to translate can use of both tables (rule filter_tables)."""

from pathlib import Path
from typing import TYPE_CHECKING

from nlmt.phrases import filter_table, source_phrases
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        phrases = source_phrases(Path(text) for text in snakemake.input.texts)
        for name in ("phrase_table", "reordering_table"):
            filter_table(Path(snakemake.input[name]), phrases, Path(snakemake.output[name]))
