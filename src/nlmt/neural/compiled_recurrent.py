"""Training of recurrent networks in the compiled kernel."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlmt.neural import _kernel
from nlmt.neural.compiled_layers import RecurrentLayers
from nlmt.neural.compiled_training import put_memories, state_of, trainer_settings
from nlmt.neural.config import NeuralConfig
from nlmt.neural.minibatches import Minibatch, SentenceBatch
from nlmt.neural.parameters import State
from nlmt.neural.scoring import EventScorer
from nlmt.neural.sentence_scoring import SentenceScorer
from nlmt.neural.source_vectors import SourceVectors
from nlmt.neural.structure import Structure


class CompiledRecurrentEngine:
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
        self._training = training
        self._layers = RecurrentLayers(architecture, structure, start.parameters)
        self._trainer = _kernel.RecurrentTrainer32(
            self._layers.network,
            self._layers.output,
            self._layers.direct,
            *trainer_settings(training, counts),
            architecture.unroll,
            threads,
        )
        put_memories(self._trainer, start, training)

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
        return state_of(self._trainer, self._layers.parameters(), self._training)
