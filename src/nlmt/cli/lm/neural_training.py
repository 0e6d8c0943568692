"""Training of a neural model by the options of `nlmt lm train`, in one process or several."""

import logging
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from nlmt.cli.parser import Options
from nlmt.errors import InputError, in_file
from nlmt.live import can_show, logged_steps
from nlmt.lm import TrainingData
from nlmt.neural import NeuralConfig, NeuralLM, Task, train_folder
from nlmt.neural.train.launch import start_together
from nlmt.neural.train.ranks import Ranks, is_started, joined
from nlmt.steps import hidden_steps


def train_neural(values: Mapping[str, Any], data: TrainingData, options: Options) -> int:
    """Train by the keys of the configuration file; return the exit status."""
    options.threads = max(1, options.threads // options.processes)
    if options.processes > 1 and not is_started():
        command = [sys.executable, "-m", "nlmt.cli", "lm", *options.arguments]
        with hidden_steps():
            start_together(command, options.processes, options.threads)
        return 0
    with joined() as ranks:
        if ranks.first:
            with nullcontext() if can_show(sys.stderr) else logged_steps():
                return _train_part(values, data, options, ranks)
        logging.disable(logging.WARNING)
        try:
            with hidden_steps():
                return _train_part(values, data, options, ranks)
        except InputError:
            return 1  # the first one reports it


def _train_part(
    values: Mapping[str, Any], data: TrainingData, options: Options, ranks: Ranks
) -> int:
    """Run one of the processes that train together; return its exit status."""
    with ranks.together():
        task = _read_task(values, data, options.config)
    result = train_folder(
        task,
        options.out,
        resume="always" if options.resume else "never",
        threads=options.threads,
        ranks=ranks,
    )
    if not ranks.first:
        return 0
    print(f"dev perplexity: {result.dev.perplexity:.2f} (epoch {result.progress.best_epoch:g})")
    print(f"model: {options.out}")
    return 0


def _read_task(values: Mapping[str, Any], data: TrainingData, path: Path) -> Task:
    """The task of training; parts that the configuration leaves out are those of the start."""
    start = None if data.start is None else NeuralLM.load(data.start)
    parts = {} if start is None else start.config.parts()
    with in_file(path):
        config = NeuralConfig.from_dict(parts | dict(values))
    if data.backoff is not None and (start is not None or config.output != "short-list"):
        what = "--backoff has no effect without output: short-list, or with --from"
        raise InputError(what, hint="leave it out")
    embeddings = data.source_embeddings
    vectors = None if embeddings is None else NeuralLM.load(embeddings)
    return Task.read(config, data, start=start, source_embeddings=vectors)
