"""Report the downloaded files (rule download)."""

from pathlib import Path

from nlmt.corpora.network.client import in_units
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        files = [Path(path) for path in snakemake.input]
        size = in_units(sum(path.stat().st_size for path in files))
        folders = ", ".join(sorted({str(path.parent) for path in files})) or "no folder"
        print(f"{len(files)} files, {size}, checked, in {folders}", flush=True)
