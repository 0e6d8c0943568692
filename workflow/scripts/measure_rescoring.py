"""Measure the speed of rescoring by grouping of requests (rule measure_rescoring)."""

from pathlib import Path

from nlmt.io.json_files import write_json
from nlmt.io.nbest import read_nbest
from nlmt.papers.speed import measure_rescoring
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        settings = snakemake.params.settings
        nbest = read_nbest(snakemake.input.nbest)
        starts = nbest.sentence_starts()
        last = starts[min(settings["timed_lists"], len(starts) - 1)]
        speed = measure_rescoring(
            Path(snakemake.input.model[0]).parent,
            [nbest.text(i) for i in range(last)],
            repetitions=settings["repetitions"],
        )
        write_json(snakemake.output.speed, speed)
