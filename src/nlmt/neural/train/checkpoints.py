"""The state of training in one file: parameters, the optimiser's memories, the best so far.

A safetensors file whose metadata holds the rest as JSON. It is written whole or not at all. The one
before it is kept, as a disk may damage the last.
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from math import inf
from pathlib import Path

from nlmt.errors import InputError
from nlmt.neural.parameters import MEMORIES, TrainingState, check, shapes
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.tensors import Parameters, read_tensors, write_tensors
from nlmt.neural.train.task import Task
from nlmt.provenance import Code

NAME = "checkpoint.safetensors"
SOURCE = "checkpoint.source.safetensors"  # what was learnt of the source before training began
_BEFORE = ".previous"
REMOVE = "remove it: training then starts from the beginning"


@dataclass(frozen=True)
class LogRow:
    """One line of the learning curve: an evaluation of the dev text.

    Attributes:
        number: epochs over the training text so far, with a fraction for a part of one.
        tokens: words and sentence ends seen so far.
        seconds: of training so far, without evaluation.
        tokens_per_second: since the previous line.
        objective: the loss per token since then (natural log).
        dev_perplexity: of the dev text.
        learning_rate: after the previous line.
        test_perplexity: of the test text, where there is one.
    """

    number: float
    tokens: int
    seconds: float
    tokens_per_second: float
    objective: float
    dev_perplexity: float
    learning_rate: float
    test_perplexity: float | None = None


@dataclass
class Progress:
    """The progress of training.

    Attributes:
        epochs: complete ones.
        done: examples of the current epoch.
        seen: examples since the last evaluation; `loss` is the sum of the objective over them,
            `seen_seconds` the time of training on them.
        seconds: of training, over all epochs.
        best_epoch: epochs before the evaluation with the lowest dev perplexity, as in the log; 0
            before there is one.
        best_perplexity: the lowest dev perplexity.
        log: a row for each evaluation.
    """

    epochs: int = 0
    done: int = 0
    seen: int = 0
    loss: float = 0.0
    seen_seconds: float = 0.0
    seconds: float = 0.0
    best_epoch: float = 0
    best_perplexity: float = inf
    log: list[LogRow] = field(default_factory=list)

    @property
    def curve(self) -> list[float]:
        """The dev perplexity at each evaluation."""
        return [row.dev_perplexity for row in self.log]

    def add(self, examples: int, loss: float, seconds: float) -> None:
        """Add examples that were trained on, the sum of their loss, and the time it took."""
        self.done += examples
        self.seen += examples
        self.loss += loss
        self.seconds += seconds
        self.seen_seconds += seconds

    def end_part(self, total: int, dev: float, rate: float, test: float | None) -> LogRow:
        """Add a row to the log.

        Args:
            total: examples of the current epoch, which ends here if all are done.
            dev: perplexity of the dev text.
            rate: learning rate after the previous row.
            test: perplexity of the test text, where there is one.
        """
        if self.done == total:
            self.epochs, self.done = self.epochs + 1, 0
        row = LogRow(
            number=self.epochs + (self.done / total if self.done else 0),
            tokens=self.seen + (self.log[-1].tokens if self.log else 0),
            seconds=self.seconds,
            tokens_per_second=self.seen / max(self.seen_seconds, 1e-9),
            objective=self.loss / self.seen,
            dev_perplexity=dev,
            learning_rate=rate,
            test_perplexity=test,
        )
        self.log.append(row)
        self.seen, self.loss, self.seen_seconds = 0, 0.0, 0.0
        return row


@dataclass(frozen=True, eq=False)
class TrainingCheckpoint:
    """All that resuming needs.

    The fingerprint of configuration and texts must be the same on resuming. `state` has parameters
    and the optimiser's memories, `best` the parameters at the best evaluation, none before there is
    one, `code` that of all processes whose training is in it, oldest first.
    """

    fingerprint: dict[str, str]
    progress: Progress
    state: TrainingState
    best: Parameters
    code: Sequence[Code] = ()

    def save(self, path: Path) -> None:
        """Write the checkpoint, atomically; keep the one that is there as the previous one."""
        tensors = {
            f"{group}/{name}": values
            for group, arrays in {**vars(self.state), "best": self.best}.items()
            for name, values in arrays.items()
        }
        state = {
            "fingerprint": self.fingerprint,
            "progress": asdict(self.progress),
            "code": self.code,
        }
        metadata = {"state": json.dumps(state)}
        write_tensors(path, tensors, metadata, previous=previous_of(path))

    def check(self, task: Task, path: Path, may_differ: Sequence[str]) -> None:
        """Refuse a checkpoint of another task, or one with arrays that do not fit.

        Args:
            task: to go on with.
            path: of the checkpoint's file.
            may_differ: keys of the configuration whose values may be others.

        Raises:
            InputError: says what differs, or which array does not fit.
        """
        wanted = task.fingerprint
        # A key that the checkpoint lacks is of a later version, whose default changes nothing.
        defaults = NeuralConfig().model_dump(mode="json").items()
        own = {key: repr(value) for key, value in defaults} | self.fingerprint
        other = [key for key in wanted if own.get(key) != wanted[key]]
        if other and set(other) <= set(may_differ):
            logging.info("the checkpoint was made with another %s", ", ".join(other))
        elif other:
            raise InputError(
                f"the checkpoint was made with another {', '.join(other)}",
                path=path,
                hint="train without --resume to start from the beginning",
            )
        expected = shapes(task.config, task.layout, task.source_words)
        memories = MEMORIES[task.config.optimiser]
        groups = {group: vars(self.state)[group] for group in ("parameters", *memories)}
        if self.best:
            groups["best"] = self.best
        for group, arrays in groups.items():
            named = {f"{group}/{name}": values for name, values in arrays.items()}
            check(named, {f"{group}/{name}": expected[name] for name in expected}, path, REMOVE)

    @classmethod
    def load(cls, path: Path) -> "TrainingCheckpoint":
        """Read a checkpoint.

        Raises:
            InputError: no such file, or it is truncated, damaged or not a checkpoint.
        """
        tensors, metadata = read_tensors(path, REMOVE, unchecked=False)
        try:
            state = json.loads(metadata["state"])
            log = [LogRow(**row) for row in state["progress"].pop("log")]
            progress = Progress(**state["progress"], log=log)
            for part in (progress, *log):
                for key, value in vars(part).items():
                    if key == "log" or (key == "test_perplexity" and value is None):
                        continue
                    if not value >= 0 or (value == inf and not key.endswith("perplexity")):
                        raise ValueError(f"{key}: {value}")
            groups: dict[str, Parameters] = {
                group: {} for group in ("parameters", "squares", "moments", "best")
            }
            for key, values in tensors.items():
                group, _, name = key.partition("/")
                groups[group][name] = values
            best = groups.pop("best")
            code = state.get("code", [])  # earlier versions wrote none
            return cls(dict(state["fingerprint"]), progress, TrainingState(**groups), best, code)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError("not a checkpoint of nlmt", path=path, hint=REMOVE) from error


def find_checkpoint(
    path: Path, task: Task, may_differ: Sequence[str] = ()
) -> TrainingCheckpoint | None:
    """The checkpoint at `path`, the previous one where that is damaged, or None without any.

    Its configuration has to be the task's, except for the keys in `may_differ`.

    Raises:
        InputError: all that are there are damaged, or the one that is not belongs to another
            configuration or other texts, or its arrays do not fit the model.
    """
    faults: list[InputError] = []
    for place in (path, previous_of(path)):
        if not place.exists():
            continue
        try:
            checkpoint = TrainingCheckpoint.load(place)
        except InputError as error:
            faults.append(error)
            continue
        if faults:
            logging.info("trying the previous checkpoint: %s", faults[0])
        checkpoint.check(task, place, may_differ)
        return checkpoint
    if len(faults) > 1:
        what = f"{faults[0].what}; {previous_of(path).name}: {faults[1].what}"
        hint = "remove both: training then starts from the beginning"
        raise InputError(what, path=path, hint=hint)
    if faults:
        raise faults[0]
    return None


def keep_source(
    task: Task, path: Path, may_differ: Sequence[str], *, fresh: bool, write: bool
) -> Task:
    """The task with the source arrays of its first start, which are kept at `path`.

    Another processor learns others from the same texts, within rounding, with which no checkpoint
    could go on. Arrays that were learnt for another task are replaced.

    Args:
        task: with arrays that were learnt now; one that learns none is returned.
        path: of the file.
        may_differ: keys of the configuration whose values may be others.
        fresh: whether to replace arrays that are there, even if they are of the same task.
        write: whether to write the file, which one of several processes does.

    Raises:
        InputError: the file cannot be written.
    """
    if not task.learns_source:
        return task
    others = ("source vectors", *may_differ)
    wanted = {key: text for key, text in task.fingerprint.items() if key not in others}
    if path.exists() and not fresh:
        try:
            arrays, found = read_tensors(path, REMOVE, unchecked=False)
        except InputError as error:
            logging.info("what was learnt of the source is learnt again: %s", error)
        else:
            before = json.loads(found["fingerprint"])  # lacks keys of later versions
            fits = arrays.keys() == task.source_arrays.keys()
            if fits and before.items() <= wanted.items():
                # In their order, which a digest sees and a file loses.
                return replace(task, source_arrays={n: arrays[n] for n in task.source_arrays})
    if write:
        write_tensors(path, task.source_arrays, {"fingerprint": json.dumps(wanted)})
    return task


def previous_of(path: Path) -> Path:
    """The path of the checkpoint that was written before the one at `path`."""
    return path.with_stem(path.stem + _BEFORE)


def remove_checkpoints(path: Path) -> None:
    """Remove the checkpoint at `path`, the previous one and the source arrays beside them."""
    for place in (path, previous_of(path), path.with_name(SOURCE)):
        place.unlink(missing_ok=True)
