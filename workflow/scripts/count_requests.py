"""Count the requests of an n-best list that a short-list covers (rule count_requests)."""

from pathlib import Path

from nlmt.io.json_files import write_json
from nlmt.io.nbest import read_nbest
from nlmt.papers.short_list import count_predicted
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        counts = count_predicted(
            Path(snakemake.input.model[0]).parent, read_nbest(snakemake.input.nbest)
        )
        write_json(snakemake.output.counts, counts)
