"""Train one neural language model; write its folder (rules train_neural_lm, train_joint_lm)."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from nlmt.neural import NeuralConfig, NeuralLM, SourceFiles, Task, train_folder
from nlmt.runlog import log_to_file

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with log_to_file(snakemake.log[0]):
        settings = {"seed": snakemake.params.seed, **snakemake.params.lm}
        for key in ("classes", "units", "source_embeddings"):  # what is done before training
            settings.pop(key, None)
        config = NeuralConfig.from_dict(settings)
        texts = [snakemake.input.text]
        source, dev_source = snakemake.input.source, snakemake.input.dev_source
        embeddings = snakemake.input.embeddings
        task = Task.read(
            config,
            texts,
            snakemake.input.dev,
            snakemake.input.classes,
            sources=[SourceFiles(*source)] if source else [],
            dev_source=SourceFiles(*dev_source) if dev_source else None,
            source_embeddings=NeuralLM.load(Path(embeddings[0]).parent) if embeddings else None,
        )
        folder = Path(snakemake.output.model).parent
        # Snakemake removes the outputs of an interrupted job, but not this folder: the same job
        # goes on from there.
        checkpoints = folder / "checkpoint"
        result = train_folder(
            task,
            folder,
            checkpoints=checkpoints,
            resume="if it fits",
            threads=snakemake.threads,
        )
        checkpoints.rmdir()
        logging.info("dev perplexity %.2f", result.dev.perplexity)
