"""Training of Elman networks in the compiled kernel."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlmt.neural import _kernel
from nlmt.neural.compiled_layers import ElmanLayers
from nlmt.neural.config import NeuralConfig
from nlmt.neural.minibatches import Minibatch, SentenceBatch
from nlmt.neural.parameters import MEMORIES, State
from nlmt.neural.scoring import EventScorer, as_rows
from nlmt.neural.sentence_scoring import SentenceScorer
from nlmt.neural.source_vectors import SourceVectors
from nlmt.neural.structure import Structure


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
        minibatches: Sequence[Minibatch],
        first: int,
        key: int,
        rates: NDArray[np.float64],
    ) -> float:
        """See `Engine`."""
        total = 0.0
        for batch, rate in zip(minibatches, rates.tolist(), strict=True):
            assert isinstance(batch, SentenceBatch)
            vectors, of = batch.beside.vectors, batch.vector_of()
            total += self._trainer.train(batch.words, vectors, of, first, key, rate)
            first += len(batch.beside.of)
        return total

    def scorer(self, vectors: SourceVectors | None = None) -> EventScorer:
        """See `Engine`."""
        parameters = self._layers.parameters()
        return SentenceScorer(
            self._architecture, self._structure, parameters, self._threads, vectors
        )

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
