"""Train one neural language model; write its folder (rules train_neural_lm, train_joint_lm).

With the key `processes` the script starts itself that many times, and these train together.
"""

import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from nlmt.experiment import parts_of
from nlmt.neural import NeuralConfig, NeuralLM, SourceFiles, Task, train_folder
from nlmt.neural.launch import start_together
from nlmt.neural.ranks import Ranks, is_started, joined
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def train(ranks: Ranks, threads: int) -> None:
    """What each process does."""
    settings = {"seed": snakemake.params.seed, **parts_of(snakemake.params.lm)}
    source, dev_source = snakemake.input.source, snakemake.input.dev_source
    embeddings = snakemake.input.embeddings
    with ranks.together():
        task = Task.read(
            NeuralConfig.from_dict(settings),
            [snakemake.input.text],
            snakemake.input.dev,
            snakemake.input.classes,
            sources=[SourceFiles(*source)] if source else [],
            dev_source=SourceFiles(*dev_source) if dev_source else None,
            source_embeddings=NeuralLM.load(Path(embeddings[0]).parent) if embeddings else None,
        )
    folder = Path(snakemake.output.model).parent
    # Snakemake removes the outputs of an interrupted job, but not this folder: the same job goes on
    # from there.
    checkpoints = folder / "checkpoint"
    result = train_folder(
        task, folder, checkpoints=checkpoints, resume="if it fits", threads=threads, ranks=ranks
    )
    if ranks.first:
        checkpoints.rmdir()
        logging.info("dev perplexity %.2f", result.dev.perplexity)


if __name__ == "__main__":
    processes = snakemake.params.lm.get("processes", 1)
    threads = max(1, snakemake.threads // processes)
    if processes > 1 and not is_started():
        with log_to_file(None):
            start_together([sys.executable, *sys.argv], processes, threads)
    else:
        # The first of several writes the log.
        log = snakemake.log[0] if os.environ.get("RANK", "0") == "0" else None
        with log_to_file(log), joined() as ranks:
            if not ranks.first:
                logging.disable(logging.INFO)
            train(ranks, threads)
