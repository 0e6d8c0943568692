"""Write the facts about a pair's systems for `nlmt translate` (rule write_systems)."""

from nlmt.io.json_files import write_json
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        write_json(snakemake.output.systems, snakemake.params.systems, indent=1)
