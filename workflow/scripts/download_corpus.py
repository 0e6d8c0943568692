"""Get one file of a corpus, checked (rule download_corpus)."""

from pathlib import Path
from typing import TYPE_CHECKING

from nlmt.corpora import download
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        download(
            snakemake.params.download,
            Path(snakemake.output.file),
            Path(snakemake.output.record),
        )
