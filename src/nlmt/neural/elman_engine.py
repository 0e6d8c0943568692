"""Training of Elman networks in the compiled kernel."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlmt.neural import _kernel
from nlmt.neural.config import Architecture, NeuralConfig
from nlmt.neural.parameters import MEMORIES, Parameters, State
from nlmt.neural.scoring import EventScorer, as_rows
from nlmt.neural.sentence_scoring import SentenceScorer
from nlmt.neural.structure import Structure


class ElmanLayers:
    """The compiled parts of an Elman network.

    Attributes:
        elman: from words to states.
        output: the output layer.
        direct: the direct features, if there are any.
    """

    def __init__(
        self, architecture: Architecture, structure: Structure, parameters: Parameters
    ) -> None:
        self._shapes = {name: values.shape for name, values in parameters.items()}
        self.elman = _kernel.Elman32(structure.words, architecture.dim, architecture.beside)
        self.output = structure.compiled(architecture.hidden_dim)
        self.direct = None
        if architecture.direct_features:
            rows = parameters["direct"].size - architecture.direct_features
            longest = architecture.direct_order - 1
            self.direct = _kernel.Direct32(architecture.direct_features, rows, longest)
        for name, values in parameters.items():
            self._layer(name).set(name, as_rows(values))

    def _layer(self, name: str) -> _kernel.Elman32 | _kernel.Output32 | _kernel.Direct32:
        if self.direct is not None and name == "direct":
            return self.direct
        below = name in ("embeddings", "source_weight") or name.startswith("layers.")
        return self.elman if below else self.output

    def parameters(self) -> Parameters:
        """A copy of the parameters."""
        return {
            name: self._layer(name).get(name).reshape(shape) for name, shape in self._shapes.items()
        }


class ElmanEngine:
    """See `Engine`: on the CPU; the same for any number of threads."""

    def __init__(
        self,
        config: NeuralConfig,
        structure: Structure,
        counts: NDArray[np.float64],
        start: State,
        threads: int,
    ) -> None:
        training, architecture = config.training, config.architecture
        self._architecture, self._structure, self._threads = architecture, structure, threads
        self._shapes = {name: values.shape for name, values in start.parameters.items()}
        self._memories = MEMORIES[training.optimiser]
        self._layers = ElmanLayers(architecture, structure, start.parameters)
        self._trainer = _kernel.ElmanTrainer32(
            self._layers.elman,
            self._layers.output,
            self._layers.direct,
            "nce" if training.objective == "nce" else "likelihood",
            training.alpha if training.objective == "self-normalised" else 0.0,
            training.noise,
            training.noise_sharing,
            counts,
            training.optimiser,
            training.clip or math.inf,
            training.weight_decay / counts.sum(),
            training.dropout,
            architecture.unroll,
            threads,
        )
        for memory in self._memories:
            for name, values in getattr(start, memory).items():
                self._trainer.set(memory, name, as_rows(values))

    def train(
        self,
        minibatches: Sequence[NDArray[np.int32]],
        first: int,
        key: int,
        rates: NDArray[np.float64],
    ) -> float:
        """See `Engine`."""
        total = 0.0
        nothing = np.zeros((0, self._architecture.beside), dtype=np.float32)
        for words, rate in zip(minibatches, rates.tolist(), strict=True):
            total += self._trainer.train(words, nothing, words[:0, 1:], first, key, rate)
            first += int(np.count_nonzero(words[:, 1:] >= 0))
        return total

    def scorer(self) -> EventScorer:
        """See `Engine`."""
        parameters = self._layers.parameters()
        return SentenceScorer(self._architecture, self._structure, parameters, self._threads)

    def state(self) -> State:
        """See `Engine`."""
        memories = {
            memory: {
                name: self._trainer.get(memory, name).reshape(shape)
                for name, shape in self._shapes.items()
            }
            for memory in self._memories
        }
        return State(self._layers.parameters(), **memories)
