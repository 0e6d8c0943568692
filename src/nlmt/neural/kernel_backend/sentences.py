"""Training of recurrent networks in the compiled kernel."""

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.neural import _kernel
from nlmt.neural.config import NeuralConfig
from nlmt.neural.data.minibatches import Minibatch, SentenceBatch
from nlmt.neural.data.tensors import Parameters
from nlmt.neural.kernel_backend.engine import KernelEngine, trainer_settings
from nlmt.neural.outputs.registry import OutputLayout
from nlmt.neural.parameters import TrainingState
from nlmt.neural.scoring.compiled_layers import (
    compiled_direct,
    compiled_output,
    compiled_recurrent,
)


class SentenceEngine(KernelEngine):
    """Steps of Elman networks, GRUs and LSTMs along minibatches of sentences."""

    def __init__(
        self,
        config: NeuralConfig,
        layout: OutputLayout,
        counts: NDArray[np.float64],
        start: TrainingState,
        threads: int,
    ) -> None:
        architecture = config.architecture
        self._shapes = {name: values.shape for name, values in start.parameters.items()}
        self._above = layout.shapes(architecture.hidden_dim)
        self._network = compiled_recurrent(architecture, layout, start.parameters)
        output = compiled_output(layout, architecture.hidden_dim, start.parameters)
        assert output is not None  # else torch trains
        self._output = output
        self._direct = compiled_direct(architecture, start.parameters)
        trainer = _kernel.RecurrentTrainer32(
            self._network,
            self._output,
            self._direct,
            *trainer_settings(config.training, counts),
            architecture.unroll,
            threads,
        )
        super().__init__(config, layout, trainer, start, threads)

    @override
    def _examples(
        self, minibatch: Minibatch
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int32]]:
        assert isinstance(minibatch, SentenceBatch)
        return minibatch.words, minibatch.source.vectors, minibatch.vector_of()

    @override
    def _parameters(self) -> Parameters:
        result: Parameters = {}
        for name, shape in self._shapes.items():
            layer = self._output if name in self._above else self._network
            if name == "direct" and self._direct is not None:
                values = self._direct.get(name)
            else:
                values = layer.get(name)
            result[name] = values.reshape(shape)
        return result
