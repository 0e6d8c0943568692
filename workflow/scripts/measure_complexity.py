"""Measure time against the size of synthetic vocabularies (rule measure_complexity)."""

from pathlib import Path

from nlmt.io.json_files import write_json
from nlmt.papers.complexity import measure_complexity
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        settings = snakemake.params.settings
        output = Path(snakemake.output.times)
        measured = measure_complexity(
            settings["vocabularies"],
            output,
            dim=settings["complexity_dim"],
            tokens=settings["complexity_tokens"],
            repetitions=settings["repetitions"],
        )
        write_json(output, measured)
