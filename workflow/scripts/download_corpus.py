"""Download one file of a corpus and check it (rule download_corpus)."""

from pathlib import Path

from nlmt.corpora import DownloadSettings, download
from nlmt.settings_check import read_settings
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        download(
            snakemake.params.download,
            Path(snakemake.output.file),
            Path(snakemake.output.record),
            # Not a parameter of the rule, as another mirror is no reason to download again.
            read_settings(DownloadSettings, snakemake.config.get("download", {})),
        )
