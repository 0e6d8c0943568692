"""Measure the memory of a system's language models (rule measure_memory)."""

from pathlib import Path

from nlmt.io.json_files import write_json
from nlmt.papers.footprint import measure_memory
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        memory = measure_memory(Path(snakemake.input.ini))
        write_json(snakemake.output.memory, {"bytes": memory})
