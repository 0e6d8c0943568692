"""Measure the time of a system per sentence (rule measure_decoding)."""

from itertools import islice
from pathlib import Path

from nlmt.io.files import read_lines
from nlmt.io.json_files import write_json
from nlmt.io.weights import read_weights
from nlmt.papers.speed import measure_decoding
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        speed = measure_decoding(
            Path(snakemake.input.ini),
            snakemake.params.decoder,
            read_weights(snakemake.input.weights),
            list(islice(read_lines(snakemake.input.source), snakemake.params.sentences)),
            repetitions=snakemake.params.repetitions,
            again=snakemake.params.again,
        )
        write_json(snakemake.output.speed, speed)
