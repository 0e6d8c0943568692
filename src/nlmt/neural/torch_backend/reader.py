"""Networks over sentences in torch, word by word; the output layer is compiled where it can be."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from typing_extensions import override

from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.score.readers import Memories, Reader
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.source.vectors import SourceVectors
from nlmt.neural.tensors import Parameters
from nlmt.neural.torch_backend.sentence_network import Memory, SentenceNetwork


class TorchReader(Reader):
    """A network over sentences; its layers are on a GPU, if there is one, unless `device: cpu`."""

    def __init__(
        self, config: NeuralConfig, layout: OutputLayout, parameters: Parameters, threads: int
    ) -> None:
        super().__init__(config, layout, parameters, threads)
        on_gpu = config.device != "cpu" and torch.cuda.is_available()
        self._device = torch.device("cuda" if on_gpu else "cpu")
        self._network = SentenceNetwork(config, layout)
        self._network.load_parameters(parameters)
        self._network.to(self._device)

    @override
    def empty(self, n: int) -> Memories:
        return _arrays(self._network.empty(n))

    @override
    def read(
        self, memories: Memories, words: NDArray[np.int32], beside: SourceVectors
    ) -> tuple[NDArray[np.float32], Memories]:
        torch.set_num_threads(self._threads)
        with torch.inference_mode():
            column = self._tensor(words.astype(np.int64))[:, None]
            vectors = self._tensor(beside.vectors[beside.of])[:, None]
            seen, after = self._read(memories, column, vectors)
            return seen[:, 0].cpu().numpy(), after

    def _read(self, memories: Memories, column: Tensor, vectors: Tensor) -> tuple[Tensor, Memories]:
        """Input of the output layer (n, 1, numbers) after words (n, 1), and the memories."""
        known = tuple(tuple(self._tensor(part) for part in memory) for memory in memories)
        seen, after = self._network.read(known, column, vectors)
        return seen, _arrays(after)

    def _tensor(self, values: NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(values)).to(self._device)


def _arrays(memories: tuple[Memory, ...]) -> Memories:
    """The memories of the layers outside of torch."""
    return tuple(tuple(part.cpu().numpy() for part in memory) for memory in memories)
