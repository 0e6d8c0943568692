"""Training of feed-forward models in the compiled kernel."""

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.neural import _kernel
from nlmt.neural.config import NeuralConfig
from nlmt.neural.data.minibatches import Minibatch, WindowBatch
from nlmt.neural.data.source_vectors import SourceEncoder
from nlmt.neural.data.tensors import Parameters
from nlmt.neural.kernel_backend.engine import KernelEngine, trainer_settings
from nlmt.neural.outputs.registry import OutputLayout
from nlmt.neural.parameters import TrainingState
from nlmt.neural.scoring.compiled_layers import compiled_input, compiled_output
from nlmt.neural.scoring.ngrams import NgramScorer


class WindowEngine(KernelEngine):
    """Steps along minibatches of n-grams."""

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
        self._input = compiled_input(architecture, layout, start.parameters)
        output = compiled_output(layout, architecture.hidden_dim, start.parameters)
        assert output is not None  # else torch trains
        self._output = output
        self._above = layout.shapes(architecture.hidden_dim)
        settings = trainer_settings(config.training, counts)
        trainer = _kernel.Trainer32(self._input, self._output, *settings, threads)
        super().__init__(config, layout, trainer, start, threads)

    @override
    def _examples(
        self, minibatch: Minibatch
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int32]]:
        assert isinstance(minibatch, WindowBatch)
        return minibatch.rows, minibatch.source.vectors, minibatch.source.of

    @override
    def _parameters(self) -> Parameters:
        return {
            name: (self._output if name in self._above else self._input).get(name).reshape(shape)
            for name, shape in self._shapes.items()
        }

    @override
    def scorer(self, encoder: SourceEncoder | None = None) -> NgramScorer:
        # Uses the layers in place, without a copy of the parameters.
        return NgramScorer(
            self._architecture,
            self._layout,
            lambda contexts, beside: self._input.hidden(contexts, beside, self._threads),
            self._output,
            self._threads,
            encoder,
        )
