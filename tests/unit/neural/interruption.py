"""Training that ends as if the power was cut."""

from unittest import mock

from nlmt.neural import Trainer
from nlmt.neural.train import trainer as trainer_module
from nlmt.neural.train.checkpoints import TrainingCheckpoint


class StopError(Exception):
    """The power is cut."""


def interrupted(
    trainer: Trainer, start: TrainingCheckpoint | None, saves: int, examples: int
) -> None:
    """Train with a checkpoint after each call of so many examples, until `saves` are written."""
    save, written = trainer._save, 0

    def save_and_stop() -> None:
        nonlocal written
        save()
        written += 1
        if written == saves:
            raise StopError

    often = {"CHECKPOINT_SECONDS": 0.0, "CHECKPOINT_RATIO": 0.0, "CALL_EXAMPLES": examples}
    with (
        mock.patch.multiple(trainer_module, **often),
        mock.patch.object(trainer, "_save", save_and_stop),
    ):
        try:
            trainer.run(start)
        except StopError:
            return
    raise AssertionError("it was not cut off")
