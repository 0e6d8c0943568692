"""Get the Debian package of one language of a corpus, checked (rule download_corpus)."""

from pathlib import Path
from typing import TYPE_CHECKING

from nlmt.corpora import AptCorpus, download_package, read_corpus
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        corpus = read_corpus(snakemake.params.name, snakemake.params.corpus)
        assert isinstance(corpus, AptCorpus), "only kind apt is downloaded"
        download_package(
            corpus,
            snakemake.params.language,
            Path(snakemake.output.package),
            Path(snakemake.output.record),
        )
