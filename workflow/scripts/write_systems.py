"""Write the facts about a pair's systems for `nlmt translate` (rule write_systems)."""

import json

from nlmt.io.files import write_text
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        content = json.dumps(snakemake.params.systems, indent=1)
        write_text(snakemake.output.systems, content + "\n")
