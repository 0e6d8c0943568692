"""Training into a folder, in this process or in several that it starts.

The learning curve is written to the folder during training, and the model at the end.
"""

import logging
import math
import shutil
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.io.json_files import write_json
from nlmt.io.locks import alone_in, check_held
from nlmt.live import logged_steps
from nlmt.lm.kinds import TrainingData
from nlmt.neural.model import NeuralLM
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.train.checkpoints import (
    NAME,
    SOURCE,
    LogRow,
    TrainingCheckpoint,
    find_checkpoint,
    keep_source,
    remove_checkpoints,
)
from nlmt.neural.train.launch import interrupted_by_sigterm, start_together
from nlmt.neural.train.ranks import ALONE, Ranks, joined
from nlmt.neural.train.search import Tried, search
from nlmt.neural.train.task import Task
from nlmt.neural.train.trainer import CHANGEABLE, ExplodedError, Result, Trainer
from nlmt.provenance import Code, present_code, report, resumed_code
from nlmt.runlog import INTERRUPTED

CHECKPOINTS = "checkpoint"  # folder below that of the model
CURVE, METRICS = "log.tsv", "metrics.json"

# What to do with a checkpoint: ignore it; resume, even with changed `CHANGEABLE` keys, or fail;
# resume if it fits.
Resume = Literal["never", "always", "if it fits"]


def train_folder(
    task: Task,
    folder: Path,
    *,
    checkpoints: Path | None = None,
    resume: Resume = "never",
    chosen: str | None = None,
    threads: int = 1,
    ranks: Ranks = ALONE,
) -> Result:
    """Train a model and write its files into `folder`.

    Args:
        task: texts and configuration.
        folder: gets model.safetensors, config.json, vocabulary.txt, classes.tsv, metrics.json and
            log.tsv, the last during training.
        checkpoints: folder of the checkpoint; None for `folder`. It is removed at the end.
        resume: what to do with the checkpoint of an earlier run; a search never fails by one.
        chosen: name of the alternative to train, that another run chose. If training diverges with
            it, all are searched, as if none were named.
        threads: of the CPU.
        ranks: the processes that train together: all of them call this, the first one writes. The
            folder must be on a file system that all see.

    Raises:
        InputError: training diverges, the checkpoint to resume from is damaged or does not fit, or
            another process trains into the same folder.
    """
    alternatives = task.config.alternatives()
    place = checkpoints or folder
    places = {
        name: place / f"search-{number}" if len(alternatives) > 1 else place
        for number, name in enumerate(alternatives, start=1)
    }
    tasks: dict[str, Task] = {}

    other_code: list[Code] = []  # of all checkpoints: a choice depends on each of them

    def opened(name: str, resume: Resume) -> tuple[Trainer, TrainingCheckpoint | None]:
        return _open(tasks[name], folder, places[name] / NAME, resume, threads, ranks, other_code)

    def train(name: str, share: float, before: Tried | None) -> Tried:
        logging.info("%s, until %g of its epochs", name, share)
        try:
            trainer, start = opened(name, "if it fits" if before else resume)
            rows = trainer.advance(share, start)
        except ExplodedError as error:
            logging.info("%s", error)
            return Tried(math.inf, before.epochs if before else 0, "diverged")
        return Tried(min(row.dev_perplexity for row in rows), rows[-1].number, "trained")

    def run(name: str, resume: Resume) -> Result:
        trainer, start = opened(name, resume)
        return trainer.run(start)

    def search_and_run() -> Result:
        searched = search(list(tasks), train)
        best = min(searched, key=lambda name: searched[name].perplexity)
        logging.info("%s: the lowest dev perplexity", best)
        return replace(run(best, "if it fits"), searched=searched)

    with ExitStack() as stack:
        with ranks.together():
            if ranks.first:
                stack.enter_context(alone_in(place))
            fresh = resume == "never"
            begun = keep_source(task, place / SOURCE, CHANGEABLE, fresh=fresh, write=ranks.first)
        tasks |= {name: replace(begun, config=config) for name, config in alternatives.items()}
        if len(tasks) == 1:
            result = run(next(iter(tasks)), resume)
        else:
            if resume == "always":
                resume = "if it fits"  # the numbers of an edited list are of other settings
            try:
                result = search_and_run() if chosen is None else run(chosen, resume)
            except ExplodedError as error:
                if chosen is None:
                    raise
                logging.info("%s: this run has a search of its own", error)
                result = search_and_run()
        with ranks.together():
            if ranks.first:
                _save(result, folder)
                remove_checkpoints(place / NAME)
                for searched_in in set(places.values()) - {place}:
                    if searched_in.exists():  # the choice of another run has only its own
                        shutil.rmtree(searched_in)  # also what a killed process left there
        return result


def write_log(folder: Path, log: Sequence[LogRow]) -> None:
    """Write the learning curve into a model's folder."""
    heading = "epoch\ttokens\tseconds\ttokens_per_second\tobjective\tdev_perplexity\tlearning_rate"
    tested = any(row.test_perplexity is not None for row in log)
    lines = [heading + ("\ttest_perplexity" if tested else "")]
    for row in log:
        line = f"{row.number:g}\t{row.tokens}\t{row.seconds:.3f}\t{row.tokens_per_second:.0f}\t"
        line += f"{row.objective:.6f}\t{row.dev_perplexity:.4f}\t{row.learning_rate:.6g}"
        test = row.test_perplexity
        lines.append(line if test is None else f"{line}\t{test:.4f}")
    write_lines(folder / CURVE, lines)


def _save(result: Result, folder: Path) -> None:
    """Write the files of a model."""
    write_log(folder, result.progress.log)
    result.model.save(folder)
    write_json(folder / METRICS, result.metrics())


def _open(
    task: Task,
    folder: Path,
    checkpoint: Path,
    resume: Resume,
    threads: int,
    ranks: Ranks,
    other_code: list[Code],
) -> tuple[Trainer, TrainingCheckpoint | None]:
    """The trainer of one configuration, which writes the learning curve, and where it starts.

    What other code made the checkpoint is added to `other_code`.
    """
    with ranks.together():
        if ranks.first:
            checkpoint.parent.mkdir(parents=True, exist_ok=True)
        start = None if resume == "never" else _beginning(checkpoint, task, resume)
        if resume == "never" and checkpoint.exists():
            what = "the checkpoint of an earlier training is replaced; --resume would go on from it"
            logging.warning("%s: %s", checkpoint, what)
    stand = "" if start is None else f"{start.progress.epochs} epochs and {start.progress.done}"
    if len(set(ranks.said_by_all(stand))) > 1:
        what = "the processes see different checkpoints"
        raise InputError(what, path=checkpoint, hint="use a folder that all machines share")
    if start is not None:
        logging.info("resuming after %d epochs", start.progress.epochs)
        if ranks.first:
            other_code += resumed_code(start.code, other_code)
    elif resume == "always":
        logging.info("no checkpoint to resume from: training starts from the beginning")
    trainer = Trainer(
        task,
        checkpoint,
        threads,
        after_evaluation=lambda log: write_log(folder, log),
        ranks=ranks,
        other_code=other_code,
    )
    return trainer, start


def _beginning(checkpoint: Path, task: Task, resume: Resume) -> TrainingCheckpoint | None:
    """The checkpoint to resume from; None for a fresh start."""
    try:
        return find_checkpoint(checkpoint, task, CHANGEABLE if resume == "always" else ())
    except InputError as error:
        if resume == "always":
            raise
        logging.info("starting from the beginning: %s", error)
        return None


def read_task(config: NeuralConfig, data: TrainingData) -> Task:
    """The task of training a model of the configuration, with the models that `data` names.

    Raises:
        InputError: as in `Task.read`.
    """
    start, embeddings = (
        None if path is None else NeuralLM.load(path)
        for path in (data.start, data.source_embeddings)
    )
    return Task.read(config, data, start=start, source_embeddings=embeddings)


@dataclass(frozen=True)
class Job:
    """A model to be trained, as text that another process can read."""

    config: NeuralConfig
    data: TrainingData
    folder: Path
    threads: int
    chosen: str | None = None

    def run(self, ranks: Ranks) -> None:
        """Train as one of the processes that train together; resume from a checkpoint that fits.

        Raises:
            InputError: as in `Task.read` and `train_folder`.
        """
        with ranks.together():
            task = read_task(self.config, self.data)
        # Snakemake removes the outputs of an interrupted job, but not this folder.
        checkpoints = self.folder / CHECKPOINTS
        result = train_folder(
            task,
            self.folder,
            checkpoints=checkpoints,
            resume="if it fits",
            chosen=self.chosen,
            threads=self.threads,
            ranks=ranks,
        )
        if ranks.first:
            check_held()
            shutil.rmtree(checkpoints)  # also what other settings left there when interrupted
            logging.info("dev perplexity %.2f", result.dev.perplexity)

    def start(self, processes: int) -> None:
        """Train in several processes of this machine; log the messages of the first here.

        Raises:
            InputError: one of them failed; the first has said why.
        """
        text = JOB.dump_json(self).decode()
        command = [sys.executable, "-m", "nlmt.neural.train", text]
        start_together(command, processes, self.threads, log=True)


JOB = TypeAdapter(Job)  # to JSON and back


def main(text: str) -> int:
    """Run one of several processes; return its exit status."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    reports = True
    with interrupted_by_sigterm():
        try:
            with joined() as ranks, logged_steps():
                reports = ranks.first
                if not reports:  # all say the same, and have the same error
                    logging.disable(logging.WARNING)
                JOB.validate_json(text).run(ranks)
            if reports:  # the process that started this one has not loaded all of the code
                report([present_code()])
        except (InputError, OSError) as error:
            if reports:
                logging.error("error: %s", error)
            return 1
        except KeyboardInterrupt:  # of which the process that started this one tells
            return INTERRUPTED
    return 0
