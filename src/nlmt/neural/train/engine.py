"""Engines of training, which update parameters by minibatches; the compiled kernel's engine."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.neural import _kernel
from nlmt.neural.model import make_scorer
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.parameters import MEMORIES, TrainingState
from nlmt.neural.parts import NETWORKS, OBJECTIVES
from nlmt.neural.score.layers import CompiledLayer, as_rows, compiled_direct, compiled_output
from nlmt.neural.score.ngrams import NgramScorer
from nlmt.neural.score.scorer import Scorer
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.source.vectors import SourceEncoder
from nlmt.neural.tensors import Parameters
from nlmt.neural.train.epochs import Minibatch


class Engine(ABC):
    """Holds parameters and the optimiser's state, and takes steps that change both."""

    def __init__(self, config: NeuralConfig, layout: OutputLayout, threads: int) -> None:
        self._config, self._layout, self._threads = config, layout, threads

    @abstractmethod
    def train(
        self,
        minibatches: Sequence[Minibatch],
        first: int,
        key: int,
        rates: NDArray[np.float64],
    ) -> float:
        """Take a step for each minibatch; return the sum of the objective's loss.

        The first example has number `first` in the epoch; `key` and that number determine the
        random numbers. `rates` has the rate of each minibatch. The division of an epoch into calls,
        between minibatches, makes no difference.
        """

    @abstractmethod
    def parameters(self) -> Parameters:
        """A copy of the parameters."""

    @abstractmethod
    def state(self) -> TrainingState:
        """A copy of the parameters and the optimiser's memories."""

    def scorer(self, encoder: SourceEncoder | None = None) -> Scorer:
        """A scorer with the present parameters; `encoder` makes the vectors beside the words."""
        return make_scorer(self._config, self._layout, self.parameters(), self._threads, encoder)


class KernelEngine(Engine):
    """Training in the kernel, with the same results for any number of threads."""

    def __init__(
        self,
        config: NeuralConfig,
        layout: OutputLayout,
        counts: NDArray[np.float64],
        start: TrainingState,
        threads: int,
    ) -> None:
        super().__init__(config, layout, threads)
        self._shapes = {name: values.shape for name, values in start.parameters.items()}
        self._layers = NETWORKS.get(config.network).compiled(config, layout, start.parameters)
        output = compiled_output(layout, config.hidden_dim, start.parameters)
        objective = OBJECTIVES.get(config.objective).in_kernel(config)
        assert output is not None  # else torch trains
        assert objective is not None
        self._output = output
        self._direct = compiled_direct(config, start.parameters)
        settings = (
            *objective,
            config.noise,
            counts,
            config.optimiser,
            config.clip or math.inf,
            config.decay_of_example(counts.sum()),
            config.dropout,
        )
        self._trainer: _kernel.Trainer32 | _kernel.RecurrentTrainer32
        if isinstance(self._layers, _kernel.Input32):
            self._trainer = _kernel.Trainer32(self._layers, output, *settings, threads)
        else:
            self._trainer = _kernel.RecurrentTrainer32(
                self._layers, output, self._direct, *settings, config.unroll, threads
            )
        self._memories = MEMORIES[config.optimiser]
        for memory in self._memories:
            for name, values in getattr(start, memory).items():
                self._trainer.set(memory, name, as_rows(values))

    @override
    def train(
        self,
        minibatches: Sequence[Minibatch],
        first: int,
        key: int,
        rates: NDArray[np.float64],
    ) -> float:
        total = 0.0
        for one, rate in zip(minibatches, rates.tolist(), strict=True):
            total += self._trainer.train(one.words, one.vectors, one.vector_of, first, key, rate)
            first += one.examples
        return total

    @override
    def parameters(self) -> Parameters:
        return {
            name: self._layer_of(name).get(name).reshape(shape)
            for name, shape in self._shapes.items()
        }

    def _layer_of(self, name: str) -> CompiledLayer:
        """The layer that has a parameter."""
        if name == "direct" and self._direct is not None:
            return self._direct
        above = self._layout.shapes(self._config.hidden_dim)
        return self._output if name in above else self._layers

    @override
    def state(self) -> TrainingState:
        memories = {
            memory: {
                name: self._trainer.get(memory, name).reshape(shape)
                for name, shape in self._shapes.items()
            }
            for memory in self._memories
        }
        return TrainingState(self.parameters(), **memories)

    @override
    def scorer(self, encoder: SourceEncoder | None = None) -> Scorer:
        if not isinstance(self._layers, _kernel.Input32):
            return super().scorer(encoder)
        # Uses the layers in place, without a copy of the parameters.
        parts = self._config, self._layout, self._layers.hidden, self._output
        return NgramScorer(*parts, self._threads, encoder)
