"""Training in the kernel: what its engines share, that is settings, steps and memories."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.neural.config import NeuralConfig
from nlmt.neural.data.minibatches import Minibatch
from nlmt.neural.data.source_vectors import SourceEncoder
from nlmt.neural.data.tensors import Parameters
from nlmt.neural.keys.training import Training
from nlmt.neural.outputs.registry import OutputLayout
from nlmt.neural.parameters import MEMORIES, TrainingState
from nlmt.neural.scoring.compiled_layers import as_rows
from nlmt.neural.scoring.protocol import Scorer, make_scorer
from nlmt.neural.training.engines import Engine


class CompiledTrainer(Protocol):
    """A trainer of the kernel; its rows of numbers have the names of a memory and a parameter."""

    def train(
        self,
        words: NDArray[np.int32],
        vectors: NDArray[np.float32],
        vector_of: NDArray[np.int32],
        first: int,
        key: int,
        rate: float,
    ) -> float:
        """Take one step; return the sum of the objective's loss."""
        ...

    def set(self, state: str, name: str, values: NDArray[np.float32]) -> None:
        """Set what is remembered."""
        ...

    def get(self, state: str, name: str) -> NDArray[np.float32]:
        """A copy of what is remembered."""
        ...


def trainer_settings(
    training: Training, counts: NDArray[np.float64]
) -> tuple[str, float, int, str, NDArray[np.float64], str, float, float, float]:
    """Settings of objective, optimiser and dropout, as each trainer takes them.

    Args:
        training: names them.
        counts: (V,) of each word as a target.
    """
    return (
        "nce" if training.noise_contrastive else "likelihood",
        training.normaliser_penalty,
        training.noise,
        training.noise_sharing,
        counts,
        training.optimiser,
        training.clip or math.inf,
        training.weight_decay / counts.sum(),
        training.dropout,
    )


class KernelEngine(Engine):
    """An engine on the CPU, whose results are the same for any number of threads."""

    def __init__(
        self,
        config: NeuralConfig,
        layout: OutputLayout,
        trainer: CompiledTrainer,
        start: TrainingState,
        threads: int,
    ) -> None:
        self._architecture, self._layout, self._threads = config.architecture, layout, threads
        self._memories = MEMORIES[config.training.optimiser]
        self._trainer = trainer
        for memory in self._memories:
            for name, values in getattr(start, memory).items():
                trainer.set(memory, name, as_rows(values))

    @abstractmethod
    def _examples(
        self, minibatch: Minibatch
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int32]]:
        """Words of a minibatch, the vectors beside them, and the vector that each word has."""

    @abstractmethod
    def _parameters(self) -> Parameters:
        """A copy of the parameters."""

    @override
    def train(
        self,
        minibatches: Sequence[Minibatch],
        first: int,
        key: int,
        rates: NDArray[np.float64],
    ) -> float:
        total = 0.0
        for minibatch, rate in zip(minibatches, rates.tolist(), strict=True):
            total += self._trainer.train(*self._examples(minibatch), first, key, rate)
            first += len(minibatch.source.of)
        return total

    @override
    def scorer(self, encoder: SourceEncoder | None = None) -> Scorer:
        parameters = self._parameters()
        return make_scorer(self._architecture, self._layout, parameters, self._threads, encoder)

    @override
    def state(self) -> TrainingState:
        parameters = self._parameters()
        memories = {
            memory: {
                name: self._trainer.get(memory, name).reshape(values.shape)
                for name, values in parameters.items()
            }
            for memory in self._memories
        }
        return TrainingState(parameters, **memories)
