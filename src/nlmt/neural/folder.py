"""Train into a folder: checkpoints and the learning curve while it runs, the model at the end."""

import json
import logging
from pathlib import Path
from typing import Literal

from nlmt.errors import InputError
from nlmt.io.files import write_lines, write_text
from nlmt.neural.checkpoints import NAME
from nlmt.neural.task import Task
from nlmt.neural.training import Result, Trainer, find_checkpoint, log_lines

# What to do with a checkpoint: pass over it; go on from it or complain; go on from it if it fits.
Resume = Literal["never", "always", "if it fits"]


def train_folder(
    task: Task,
    folder: Path,
    *,
    checkpoints: Path | None = None,
    resume: Resume = "never",
    threads: int = 1,
) -> Result:
    """Train a model and write its files into `folder`.

    Args:
        task: texts and configuration.
        folder: gets model.safetensors, config.json, vocabulary.txt, classes.tsv, metrics.json and
            log.tsv, the last while training goes on.
        checkpoints: folder of the checkpoint; None for `folder`. It is removed at the end.
        resume: what to do with the checkpoint of an earlier run.
        threads: of the CPU.

    Raises:
        InputError: the loss explodes, or the checkpoint to resume from is damaged or another's.
    """
    checkpoint = (checkpoints or folder) / NAME
    start = None
    if resume != "never":
        try:
            start = find_checkpoint(checkpoint, task)
        except InputError as error:
            if resume == "always":
                raise
            logging.info("beginning anew: %s", error)
    if start is not None:
        logging.info("resuming after %d passes", start.progress.passes)
    trainer = Trainer(
        task,
        checkpoint,
        threads,
        after_pass=lambda log: write_lines(folder / "log.tsv", log_lines(log)),
    )
    result = trainer.run(start)
    result.write_log(folder / "log.tsv")
    result.model.save(folder)
    write_text(folder / "metrics.json", json.dumps(result.metrics(), indent=2) + "\n")
    checkpoint.unlink(missing_ok=True)
    return result
