"""Training of feed-forward models in the compiled kernel."""

import numpy as np
from numpy.typing import NDArray

from nlmt.neural import _kernel
from nlmt.neural.compiled_training import CompiledEngine, trainer_settings
from nlmt.neural.config import NeuralConfig
from nlmt.neural.minibatches import Minibatch, WindowBatch
from nlmt.neural.parameters import Parameters, State
from nlmt.neural.scoring import EventScorer, compiled_input, compiled_output, is_input, scorer_for
from nlmt.neural.source_vectors import SourceVectors
from nlmt.neural.structure import Structure


class CompiledWindowEngine(CompiledEngine):
    """Feed-forward models."""

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
        self._shapes = {name: values.shape for name, values in start.parameters.items()}
        self._input = compiled_input(architecture, start.parameters)
        self._output = compiled_output(architecture, structure, start.parameters)
        settings = trainer_settings(config.training, counts)
        trainer = _kernel.Trainer32(self._input, self._output, *settings, threads)
        super().__init__(config, trainer, start)

    def _examples(
        self, minibatch: Minibatch
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int32]]:
        assert isinstance(minibatch, WindowBatch)
        return minibatch.rows, minibatch.beside.vectors, minibatch.beside.of

    def _parameters(self) -> Parameters:
        return {
            name: (self._input if is_input(name) else self._output).get(name).reshape(shape)
            for name, shape in self._shapes.items()
        }

    def scorer(self, vectors: SourceVectors | None = None) -> EventScorer:
        """See `Engine`."""
        return scorer_for(
            self._architecture,
            self._structure,
            lambda contexts, beside: self._input.hidden(contexts, beside, self._threads),
            self._output,
            self._threads,
            vectors,
        )
