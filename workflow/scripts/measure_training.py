"""Measure the training speed of a neural model (rule measure_training)."""

from pathlib import Path

from nlmt.io.json_files import write_json
from nlmt.lm import TrainingData
from nlmt.papers.speed import measure_training
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        data = TrainingData(
            texts=[Path(path) for path in snakemake.input.texts],
            dev=Path(snakemake.input.dev),
            classes=next(map(Path, snakemake.input.classes), None),
        )
        speed = measure_training(
            snakemake.params.model, data, repetitions=snakemake.params.repetitions
        )
        write_json(snakemake.output.speed, speed)
