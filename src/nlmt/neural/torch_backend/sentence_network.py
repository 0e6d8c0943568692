"""Networks that read a sentence from its beginning, in torch: each word sees all before it.

Sentences are read column by column, many at a time, and the network's memory of the words so far is
passed on: training on pieces, scoring and stepping all use `read`.

With a vector s of the source beside each word (Mikolov and Zweig 2012; Auli et al. 2013) the first
layer sees E(w) + F s, and the output layer [h; s].
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.parts import NETWORKS
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.text.numbered import BEGIN_ID
from nlmt.neural.torch_backend.direct_features import Direct
from nlmt.neural.torch_backend.network import TorchNetwork
from nlmt.neural.torch_backend.rows import rows_of

Memory = tuple[Tensor, ...]
Drop = Callable[[Tensor], Tensor]


class Layer(nn.Module):
    """A layer over the columns of a batch of sentences.

    Its memory of n sentences are tensors of n rows, unless its network has a `reader` of its own.

    Attributes:
        renamed: names of parameters that have others in the files.
    """

    renamed: ClassVar[dict[str, str]] = {}

    def empty(self, n: int, like: Tensor) -> Memory:
        """The memory of n sentences before their first word."""
        raise NotImplementedError

    def read(self, x: Tensor, memory: Memory, drop: Drop) -> tuple[Tensor, Memory]:
        """Compute outputs (n, columns, dim) and the memory from inputs (n, columns, dim)."""
        raise NotImplementedError

    def finish(self, x: Tensor) -> Tensor:
        """Return the outputs as the output layer sees them, if this is the last layer."""
        return x


@dataclass(frozen=True)
class NetworkState:
    """The state of n sentences after the words so far.

    Attributes:
        memories: of each layer, arrays of n rows.
        history: (n, direct_order - 1) the last words, the oldest first; no column without direct
            features.
    """

    memories: tuple[Memory, ...]
    history: Tensor

    def map(self, change: Callable[[Tensor], Tensor]) -> "NetworkState":
        """The state with each of its arrays changed."""
        memories = tuple(tuple(change(part) for part in memory) for memory in self.memories)
        return NetworkState(memories, change(self.history))


class SentenceNetwork(TorchNetwork):
    """Embeddings, layers over the sentence, an output layer and direct features."""

    direct: nn.Parameter

    def __init__(self, architecture: Architecture, layout: OutputLayout) -> None:
        super().__init__(architecture, layout)
        layers = NETWORKS.get(architecture.network).torch_layers(architecture)
        self.layers = nn.ModuleList(layers)

    @override
    def file_name(self, name: str) -> str:
        for own, meant in self.stack()[0].renamed.items():
            name = name.replace(own, meant)
        return name.removeprefix("output.")

    def empty(self, n: int) -> NetworkState:
        """The state before `<s>`."""
        width = self.architecture.direct_order - 1 if self.architecture.direct_features else 0
        like = self.embeddings
        memories = tuple(layer.empty(n, like) for layer in self.stack())
        history = torch.full((n, width), BEGIN_ID, dtype=torch.long, device=like.device)
        return NetworkState(memories, history)

    def read(
        self,
        state: NetworkState,
        words: Tensor,
        beside: Tensor | None = None,
        drop: Drop = lambda x: x,
    ) -> tuple[Tensor, Tensor, NetworkState]:
        """Read words (n, columns), at least one column.

        Args:
            state: of n sentences.
            words: `<s>` first, where the state is empty.
            beside: (n, columns, numbers) vector of the source for the next word; None for a network
                without.
            drop: dropout, during training.

        Returns:
            After each word, the input of the output layer (n, columns, dim + numbers) and the last
            words (n, columns, direct_order - 1); the state after the last column.
        """
        x = self.embedded(words, beside, drop)
        memories = []
        for layer, before in zip(self.stack(), state.memories, strict=True):
            x, after = layer.read(x, before, drop)
            memories.append(after)
        width = state.history.shape[1]
        known = torch.cat([state.history, words], 1) if width else words[:, :0]
        columns = words.shape[1]
        indices = torch.arange(columns, device=words.device)[:, None] + 1
        indices = indices + torch.arange(width, device=words.device)  # (columns, width)
        last = known[:, columns:] if width else known
        return self.seen(x, beside), known[:, indices], NetworkState(tuple(memories), last)

    def embedded(self, words: Tensor, beside: Tensor | None, drop: Drop = lambda x: x) -> Tensor:
        """Input of the first layer (n, columns, dim); arguments as in `read`."""
        x = drop(rows_of(self.embeddings, words, sparse=self.output.sparse))
        if beside is not None and self.architecture.source_vector_dim:
            x = x + functional.linear(beside, self.source_weight)
        return x

    def seen(self, x: Tensor, beside: Tensor | None) -> Tensor:
        """Input of the output layer, from the last layer's output (n, columns, dim)."""
        x = self.stack()[-1].finish(x)
        return x if beside is None else torch.cat([x, beside], 2)

    def features(self, histories: Tensor) -> Direct | None:
        """The direct features after the last words (batch, direct_order - 1)."""
        if not self.architecture.direct_features:
            return None
        return Direct.after(self.direct, self.architecture.direct_features, histories)

    def stack(self) -> list[Layer]:
        """The layers, the lowest first."""
        return [layer for layer in self.layers if isinstance(layer, Layer)]
