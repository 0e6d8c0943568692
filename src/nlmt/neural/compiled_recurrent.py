"""Training of recurrent networks in the compiled kernel."""

import numpy as np
from numpy.typing import NDArray

from nlmt.neural import _kernel
from nlmt.neural.compiled_layers import RecurrentLayers
from nlmt.neural.compiled_training import CompiledEngine, trainer_settings
from nlmt.neural.config import NeuralConfig
from nlmt.neural.minibatches import Minibatch, SentenceBatch
from nlmt.neural.parameters import Parameters, State
from nlmt.neural.scoring import EventScorer
from nlmt.neural.sentence_scoring import SentenceScorer
from nlmt.neural.source_vectors import SourceVectors
from nlmt.neural.structure import Structure


class CompiledRecurrentEngine(CompiledEngine):
    """Elman networks, GRUs and LSTMs."""

    def __init__(
        self,
        config: NeuralConfig,
        structure: Structure,
        counts: NDArray[np.float64],
        start: State,
        threads: int,
    ) -> None:
        architecture = config.architecture
        self._architecture, self._structure, self._threads = architecture, structure, threads
        self._layers = RecurrentLayers(architecture, structure, start.parameters)
        trainer = _kernel.RecurrentTrainer32(
            self._layers.network,
            self._layers.output,
            self._layers.direct,
            *trainer_settings(config.training, counts),
            architecture.unroll,
            threads,
        )
        super().__init__(config, trainer, start)

    def _examples(
        self, minibatch: Minibatch
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int32]]:
        assert isinstance(minibatch, SentenceBatch)
        return minibatch.words, minibatch.beside.vectors, minibatch.vector_of()

    def _parameters(self) -> Parameters:
        return self._layers.parameters()

    def scorer(self, vectors: SourceVectors | None = None) -> EventScorer:
        """See `Engine`."""
        return SentenceScorer(
            self._architecture, self._structure, self._parameters(), self._threads, vectors
        )
