"""One of several processes that train together: `test_neural_ranks.py` starts two.

Arguments: a folder; the training text, the dev text and the classes. Each process writes what it
ends with: its parameters and the learning curve.
"""

import sys
from dataclasses import replace
from pathlib import Path

from interruption import interrupted

from nlmt.errors import InputError
from nlmt.neural import NeuralConfig, Task, TaskFiles, Trainer, find_checkpoint
from nlmt.neural.tensors import write_tensors
from nlmt.neural.train.ranks import joined

NAMES = ("nce", "two", "likelihood", "full", "gru", "lstm")


def settings(name: str) -> dict[str, object]:
    """The configuration of a name."""
    small = {"dim": 16, "epochs": 1, "minibatch": 150, "engine": "torch"}
    return (
        small
        | {
            "nce": {"order": 3, "weight_decay": 0.1},
            "two": {"order": 3, "epochs": 2},
            "likelihood": {"order": 3, "objective": "likelihood", "hidden": [12], "clip": 1.0},
            "full": {
                "order": 3,
                "objective": "self-normalised",
                "output": "full",
                "optimiser": "sgd",
            },
            "gru": {"network": "gru", "objective": "likelihood", "optimiser": "adam"},
            "lstm": {"network": "lstm", "unroll": 7, "engine": "torch"},
        }[name]
    )


def main() -> None:
    """Train all of them, and one again with an interruption."""
    folder, train, dev, classes = (Path(argument) for argument in sys.argv[1:])
    with joined() as ranks:
        for name in NAMES:
            task = Task.read(
                NeuralConfig.from_dict(settings(name)), TaskFiles([train], dev, classes)
            )
            result = Trainer(task, ranks=ranks).run()
            curve = " ".join(f"{row.objective:.6g}" for row in result.progress.log)
            path = folder / f"{name}.{ranks.rank}"
            write_tensors(path, result.model.parameters, {"curve": curve})

        # Stopped within the second epoch, and gone on with from the checkpoint.
        task = Task.read(NeuralConfig.from_dict(settings("two")), TaskFiles([train], dev, classes))
        checkpoint = folder / "checkpoint"
        interrupted(Trainer(task, checkpoint, ranks=ranks), None, 7, 1000)
        ranks.said_by_all("stopped")
        start = find_checkpoint(checkpoint, task)
        assert start is not None
        assert start.progress.epochs == 1
        assert start.progress.done > 0
        result = Trainer(task, checkpoint, ranks=ranks).run(start)
        write_tensors(folder / f"resumed.{ranks.rank}", result.model.parameters)

        wild = task.config.model_copy(update={"optimiser": "sgd", "learning_rate": 100.0})
        task = replace(task, config=wild)
        try:
            Trainer(task, ranks=ranks).run()
        except InputError as error:
            (folder / f"error.{ranks.rank}").write_text(str(error))


if __name__ == "__main__":
    main()
