"""Tune the decoder's weights: one run, one seed (rule tune_weights)."""

import shutil
from pathlib import Path

from nlmt.decoder import open_engine
from nlmt.io.files import read_parallel
from nlmt.io.weights import read_weights
from nlmt.settings_check import read_settings
from nlmt.tuning import TuningSettings, carry_over, run_fingerprint
from nlmt.tuning.loop import tune, write_result
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        engine = open_engine(
            snakemake.input.ini, snakemake.params.decoder, threads=snakemake.threads
        )
        if snakemake.input.former:
            former = read_weights(snakemake.input.former)
            engine.set_weights(carry_over(former, engine.weights()))
        references = snakemake.input.references
        lines = list(read_parallel(snakemake.input.source, *references))
        # Not an output, as Snakemake would delete it before it repeats an interrupted run.
        checkpoint = Path(snakemake.output.weights).parent / "checkpoint"
        settings = read_settings(TuningSettings, snakemake.params.options, where="tuning")
        result = tune(
            engine,
            [source for source, *_ in lines],
            [[line[place] for line in lines] for place in range(1, 1 + len(references))],
            settings,
            seed=snakemake.params.seed,
            checkpoint=checkpoint,
            fingerprint=run_fingerprint(engine, snakemake.input.ini),
            threads=snakemake.threads,
        )
        write_result(snakemake.output.weights, snakemake.output.log, result, engine)
        shutil.rmtree(checkpoint)
