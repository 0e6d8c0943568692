"""Measure the memory of a system's language models (rule measure_memory)."""

import json
from pathlib import Path

from nlmt.io.files import write_text
from nlmt.papers.footprint import model_memory
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        memory = model_memory(Path(snakemake.input.ini))
        write_text(snakemake.output.memory, json.dumps({"bytes": memory}, indent=2) + "\n")
