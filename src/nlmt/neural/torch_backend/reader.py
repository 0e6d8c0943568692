"""Transformers in torch, word by word; the compiled output layer scores the words."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from typing_extensions import override

from nlmt.neural import _kernel
from nlmt.neural.data.source_vectors import SourceVectors
from nlmt.neural.data.tensors import Parameters
from nlmt.neural.keys.architecture import Architecture
from nlmt.neural.outputs.registry import OutputLayout
from nlmt.neural.scoring.output_scorer import DirectOutput
from nlmt.neural.scoring.prefixes import Prefixes
from nlmt.neural.scoring.readers import Memories, MemoryArrays, Reader
from nlmt.neural.torch_backend.sentence_layers import Memory, TransformerBlock
from nlmt.neural.torch_backend.sentence_network import NetworkState, SentenceNetwork


class TorchReader(Reader):
    """A transformer, whose layers are on a GPU where there is one.

    The keys and values of each word (2 layers, heads, dim / heads) are in `Prefixes` once.
    """

    def __init__(
        self, architecture: Architecture, layout: OutputLayout, parameters: Parameters, threads: int
    ) -> None:
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._network = SentenceNetwork(architecture, layout)
        self._network.load_parameters(parameters)
        self._network.to(self._device)
        self._blocks = [one for one in self._network.stack() if isinstance(one, TransformerBlock)]
        size = architecture.dim // architecture.heads
        self._attention = _kernel.PrefixAttention32(architecture.heads, size, threads)
        self._output = DirectOutput(architecture, layout, parameters)
        self._threads = threads

    @override
    def empty(self, n: int) -> Memories:
        return ((Prefixes.empty(n),),)

    @override
    def take(self, memories: Memories, rows: NDArray[np.int64]) -> Memories:
        return ((memories[0][0][rows],),)

    @override
    def read(
        self, memories: Memories, words: NDArray[np.int32], beside: SourceVectors
    ) -> tuple[Tensor, Memories]:
        torch.set_num_threads(self._threads)
        prefixes: Prefixes = memories[0][0]
        with torch.inference_mode():
            column = self._tensor(words.astype(np.int64))[:, None]
            vectors = self._tensor(beside.vectors[beside.of])[:, None]
            way = self._read_copies if self._device.type == "cuda" else self._read_in_place
            seen, new = way(prefixes, column, vectors)
            return seen[:, 0], ((prefixes.and_then(new),),)

    def _read_in_place(
        self, prefixes: Prefixes, column: Tensor, vectors: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Input of the output layer (n, 1, numbers), and the keys and values of the new words.

        The compiled attention reads those of the words before in place.
        """
        n = len(prefixes)
        lengths = torch.from_numpy(prefixes.lengths)
        blocks = [block.numpy().reshape(*block.shape[:2], -1) for block in prefixes.blocks]
        block, row = np.ascontiguousarray(prefixes.block), np.ascontiguousarray(prefixes.row)
        x, new = self._network.embedded(column, vectors), []
        for number, layer in enumerate(self._blocks):
            parts = layer.projected(x, lengths)
            query, key, value = (part.reshape(n, -1).numpy() for part in parts)
            attended = self._attention.attend(blocks, block, row, number, query, key, value)
            x = layer.completed(x, torch.from_numpy(attended).view(parts[0].shape), lambda x: x)
            new += [part[:, :, 0] for part in parts[1:]]
        return self._network.seen(x, vectors), torch.stack(new, 1)

    def _read_copies(
        self, prefixes: Prefixes, column: Tensor, vectors: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Read words on a GPU, whose attention needs contiguous memory."""
        # Direct features are given the histories: the network need not remember words.
        state = NetworkState(self._gathered(prefixes), column[:, :0])
        seen, _, after = self._network.read(state, column, vectors)
        new = [part[:, :, -1] for keys, values, _ in after.memories for part in (keys, values)]
        return seen, torch.stack(new, 1)

    def _gathered(self, prefixes: Prefixes) -> tuple[Memory, ...]:
        """The memory of each layer, as the network takes it."""
        n, longest = prefixes.block.shape
        if longest == 0:
            return self._network.empty(n).memories
        numbers = prefixes.blocks[0].shape[1:]
        lengths = prefixes.lengths
        padded = bool((lengths < longest).any())
        held = (torch.zeros if padded else torch.empty)(longest * n, *numbers, device=self._device)
        for block, rows, indices in prefixes.indices():
            first, last = int(indices[0]), int(indices[-1]) + 1
            if last - first == len(indices):  # a column, where all sentences are equally long
                torch.index_select(block, 0, self._tensor(rows), out=held[first:last])
            else:
                chosen = block.index_select(0, self._tensor(rows))
                held.index_copy_(0, self._tensor(indices), chosen)
        parts = held.view(longest, n, *numbers).permute(2, 1, 3, 0, 4).unbind(0)
        known = self._tensor(lengths if padded else np.array([longest]))
        pairs = zip(parts[::2], parts[1::2], strict=True)
        return tuple((keys, values, known) for keys, values in pairs)

    @override
    def score(
        self,
        seen: Sequence[Tensor],
        histories: NDArray[np.int32],
        of: NDArray[np.int64],
        words: NDArray[np.int32],
        *,
        normalised: bool,
    ) -> NDArray[np.float64]:
        rows = torch.cat(list(seen)).cpu().numpy()
        return self._output.score(
            rows, histories, of, words, normalised=normalised, threads=self._threads
        )

    @override
    def to_arrays(self, memories: Memories) -> MemoryArrays:

        def array(part: Tensor | Prefixes) -> Any:
            return part if isinstance(part, Prefixes) else part.cpu().numpy()

        return tuple(tuple(array(part) for part in one) for one in memories)

    @override
    def from_arrays(self, memories: MemoryArrays) -> Memories:

        def tensor(part: NDArray[np.float32] | Prefixes) -> Tensor | Prefixes:
            return part if isinstance(part, Prefixes) else self._tensor(part)

        return tuple(tuple(tensor(part) for part in one) for one in memories)

    def _tensor(self, values: NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(values)).to(self._device)
