"""Train into a folder: checkpoints and the learning curve while it runs, the model at the end."""

import json
import logging
from contextlib import nullcontext
from pathlib import Path
from typing import Literal

from nlmt.errors import InputError
from nlmt.io.files import alone_in, write_lines, write_text
from nlmt.neural.checkpoints import NAME, Checkpoint
from nlmt.neural.ranks import ALONE, Ranks
from nlmt.neural.task import Task
from nlmt.neural.training import TAMING, Result, Trainer, find_checkpoint, log_lines

# What to do with a checkpoint: pass over it; go on from it or complain, with another learning rate
# if need be; go on from it if it fits.
Resume = Literal["never", "always", "if it fits"]


def train_folder(
    task: Task,
    folder: Path,
    *,
    checkpoints: Path | None = None,
    resume: Resume = "never",
    threads: int = 1,
    ranks: Ranks = ALONE,
) -> Result:
    """Train a model and write its files into `folder`.

    Args:
        task: texts and configuration.
        folder: gets model.safetensors, config.json, vocabulary.txt, classes.tsv, metrics.json and
            log.tsv, the last while training goes on.
        checkpoints: folder of the checkpoint; None for `folder`. It is removed at the end.
        resume: what to do with the checkpoint of an earlier run.
        threads: of the CPU.
        ranks: the processes that train together: all of them call this, the first one writes. The
            folder must be on a file system that all see.

    Raises:
        InputError: the loss explodes, the checkpoint to resume from is damaged or another's, or
            another process trains into the same folder.
    """
    checkpoint = (checkpoints or folder) / NAME
    with alone_in(checkpoint.parent) if ranks.first else nullcontext():
        return _train(task, folder, checkpoint, resume, threads, ranks)


def _train(
    task: Task, folder: Path, checkpoint: Path, resume: Resume, threads: int, ranks: Ranks
) -> Result:
    """What `train_folder` does where no other process is at work."""
    with ranks.together():
        start = None if resume == "never" else _beginning(checkpoint, task, resume)
    stand = "" if start is None else f"{start.progress.epochs} epochs and {start.progress.done}"
    if len(set(ranks.said_by_all(stand))) > 1:
        what = "the processes see different checkpoints"
        raise InputError(what, path=checkpoint, hint="use a folder that all machines share")
    if start is not None:
        logging.info("resuming after %d epochs", start.progress.epochs)
    elif resume == "always":
        logging.info("no checkpoint to resume from: training begins anew")
    trainer = Trainer(
        task,
        checkpoint,
        threads,
        after_evaluation=lambda log: write_lines(folder / "log.tsv", log_lines(log)),
        ranks=ranks,
    )
    result = trainer.run(start)
    if not ranks.first:
        return result
    result.write_log(folder / "log.tsv")
    result.model.save(folder)
    write_text(folder / "metrics.json", json.dumps(result.metrics(), indent=2) + "\n")
    checkpoint.unlink(missing_ok=True)
    return result


def _beginning(checkpoint: Path, task: Task, resume: Resume) -> Checkpoint | None:
    """The checkpoint to go on from."""
    try:
        return find_checkpoint(checkpoint, task, TAMING if resume == "always" else ())
    except InputError as error:
        if resume == "always":
            raise
        logging.info("beginning anew: %s", error)
        return None
