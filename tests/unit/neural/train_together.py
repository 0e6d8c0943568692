"""One of several processes that train together: `test_neural_ranks.py` starts two.

Arguments: a folder; the training text, the dev text and the classes. Each process writes what it
ends with: its parameters and the learning curve; the sums that it took part in; and what became of
the settings of a search.
"""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch
from interruption import interrupted
from torch import distributed

from nlmt.errors import InputError
from nlmt.lm.kinds import TrainingData
from nlmt.neural import NeuralConfig, Task, Trainer, find_checkpoint, train_folder
from nlmt.neural.parameters import TrainingState
from nlmt.neural.tensors import write_tensors
from nlmt.neural.torch_backend.engine import TorchEngine
from nlmt.neural.train import ranks as ranks_module
from nlmt.neural.train.checkpoints import LogRow, TrainingCheckpoint
from nlmt.neural.train.ranks import Ranks, joined

# What each model has beside the small settings of all.
MODELS: dict[str, dict[str, object]] = {
    "nce": {"order": 3, "weight_decay": 0.1},
    "two": {"order": 3, "epochs": 2},
    "likelihood": {"order": 3, "objective": "likelihood", "hidden": [12], "clip": 1.0},
    "full": {"order": 3, "objective": "self-normalised", "output": "full", "optimiser": "sgd"},
    "gru": {"network": "gru", "objective": "likelihood", "optimiser": "adam", "minibatch": 150},
    "lstm": {"network": "lstm", "unroll": 7},
}
# Shapes of tensors that are summed in buckets of `BUCKET_BYTES`.
BUCKETED = [(2, 3), (), (5,), (0,), (4, 4), (1,)]
BUCKET_BYTES = 40
# Learning rates of a search: under one of them the first process finds numbers that are not finite
# in what it saves; under the last one the loss explodes.
BROKEN = 0.1
RATES = [0.05, BROKEN, 100]


def settings(name: str) -> dict[str, object]:
    """The configuration of a name."""
    return {"dim": 16, "epochs": 1, "minibatch": 450, "engine": "torch", **MODELS[name]}


def write_error(path: Path, work: Callable[[], object]) -> None:
    """Write the error that work ends with."""
    try:
        work()
    except (InputError, MemoryError) as error:
        path.write_text(f"{type(error).__name__} {error}")


def sums(ranks: Ranks) -> dict[str, object]:
    """Sums of tensors and of rows, and how many numbers were sent at once."""
    sizes: list[int] = []
    send = distributed.all_reduce

    def counted(tensor, **how):  # type: ignore[no-untyped-def]
        sizes.append(tensor.numel())
        return send(tensor, **how)

    own = [torch.full(shape, 10.0**i) + ranks.rank for i, shape in enumerate(BUCKETED)]
    with (
        mock.patch.object(ranks_module, "BUCKET_BYTES", BUCKET_BYTES),
        mock.patch.object(distributed, "all_reduce", counted),
    ):
        summed = list(ranks.begin_sums(own))
    rows = ranks.sum_rows(
        [
            (torch.tensor([3, 1, 3]), torch.tensor([1.0, 2.0, 4.0])),
            (torch.arange(2 * ranks.rank), torch.ones(2 * ranks.rank, 2)),
        ]
    )
    return {
        "shapes": [tuple(one.shape) for one in summed],
        "sums": [one.tolist() for one in summed],
        "sizes": sizes,
        "rows": [(numbers.tolist(), values.tolist()) for numbers, values in rows],
    }


def searched(task: Task, folder: Path, ranks: Ranks) -> dict[str, object]:
    """Search among settings whose checkpoints are written slowly; the end of each."""
    state, save = TorchEngine.state, TrainingCheckpoint.save

    def broken(engine: TorchEngine[Any]) -> TrainingState:
        found = state(engine)
        if engine._config.learning_rate == BROKEN:
            found.parameters["embeddings"][0] = np.nan
        return found

    def slowly(checkpoint: TrainingCheckpoint, path: Path) -> None:
        time.sleep(0.2)
        save(checkpoint, path)

    with (
        mock.patch.object(TorchEngine, "state", broken),
        mock.patch.object(TrainingCheckpoint, "save", slowly),
    ):
        result = train_folder(task, folder, ranks=ranks)
    return {name: one.to_dict() for name, one in result.searched.items()}


def fail(ranks: Ranks, error: Exception) -> None:
    """Raise an error in the second process."""
    with ranks.together():
        if not ranks.first:
            raise error


def main() -> None:
    """Sum, train all models, one again with an interruption and with errors, search, and fail."""
    folder, train, dev, classes = (Path(argument) for argument in sys.argv[1:])
    files = TrainingData([train], dev, classes)
    with joined() as ranks:
        (folder / f"sums.{ranks.rank}").write_text(json.dumps(sums(ranks)))
        for name in MODELS:
            task = Task.read(NeuralConfig.from_dict(settings(name)), files)
            result = Trainer(task, ranks=ranks).run()
            curve = " ".join(f"{row.objective:.6g}" for row in result.progress.log)
            path = folder / f"{name}.{ranks.rank}"
            write_tensors(path, result.model.parameters, {"curve": curve})

        # Stopped within the second epoch, and gone on with from the checkpoint.
        task = Task.read(NeuralConfig.from_dict(settings("two")), files)
        checkpoint = folder / "checkpoint"
        interrupted(Trainer(task, checkpoint, ranks=ranks), None, 7, 1000)
        start = find_checkpoint(checkpoint, task)
        assert start is not None
        assert start.progress.epochs == 1
        assert start.progress.done > 0
        result = Trainer(task, checkpoint, ranks=ranks).run(start)
        write_tensors(folder / f"resumed.{ranks.rank}", result.model.parameters)

        def refuse(log: list[LogRow]) -> None:
            raise InputError("no space")

        # Only the first process writes.
        unwritable = folder / "sums.0" / "checkpoint"
        writers = {"log": {"after_evaluation": refuse}, "checkpoint": {"checkpoint": unwritable}}
        for name, writer in writers.items():
            trainer = Trainer(task, ranks=ranks, **writer)  # type: ignore[arg-type]
            write_error(folder / f"{name}.{ranks.rank}", trainer.run)

        wild = {"optimiser": "sgd", "learning_rate": 100.0, "minibatch": 150}
        task = replace(task, config=task.config.model_copy(update=wild))
        write_error(folder / f"error.{ranks.rank}", Trainer(task, ranks=ranks).run)

        keys = {"optimiser": "sgd", "minibatch": 150, "search": {"learning_rate": RATES}}
        task = Task.read(NeuralConfig.from_dict(settings("two") | keys), files)
        found = searched(task, folder / "search", ranks)
        (folder / f"searched.{ranks.rank}").write_text(json.dumps(found))

        write_error(folder / f"failed.{ranks.rank}", lambda: fail(ranks, MemoryError()))
        fail(ranks, RuntimeError("no such tensor"))


if __name__ == "__main__":
    main()
