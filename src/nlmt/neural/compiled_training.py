"""What the kernel's trainers have in common: settings, and what the optimiser remembers."""

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlmt.neural.config import Training
from nlmt.neural.parameters import MEMORIES, Parameters, State
from nlmt.neural.scoring import as_rows


class CompiledTrainer(Protocol):
    """A trainer of the kernel: rows of numbers by the name of a memory and of a parameter."""

    def set(self, state: str, name: str, values: NDArray[np.float32]) -> None:
        """Take over what is remembered."""
        ...

    def get(self, state: str, name: str) -> NDArray[np.float32]:
        """A copy of it."""
        ...


def trainer_settings(
    training: Training, counts: NDArray[np.float64]
) -> tuple[str, float, int, str, NDArray[np.float64], str, float, float, float]:
    """Objective, optimiser and dropout, as each trainer takes them.

    Args:
        training: names them.
        counts: (V,) of each word as a target.
    """
    return (
        "nce" if training.objective == "nce" else "likelihood",
        training.alpha if training.objective == "self-normalised" else 0.0,
        training.noise,
        training.noise_sharing,
        counts,
        training.optimiser,
        training.clip or math.inf,
        training.weight_decay / counts.sum(),
        training.dropout,
    )


def put_memories(trainer: CompiledTrainer, start: State, training: Training) -> None:
    """Give a trainer what the optimiser remembers."""
    for memory in MEMORIES[training.optimiser]:
        for name, values in getattr(start, memory).items():
            trainer.set(memory, name, as_rows(values))


def state_of(trainer: CompiledTrainer, parameters: Parameters, training: Training) -> State:
    """The parameters, and a copy of what the optimiser remembers of them."""
    memories = {
        memory: {
            name: trainer.get(memory, name).reshape(values.shape)
            for name, values in parameters.items()
        }
        for memory in MEMORIES[training.optimiser]
    }
    return State(parameters, **memories)
