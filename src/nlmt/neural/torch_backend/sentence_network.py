"""Networks that read a sentence from its beginning, in torch: each word sees all before it.

Sentences are read column by column, many at a time, and the network's memory of the words so far is
passed on: training on pieces, scoring and stepping all use `read`.

With a vector s of the source beside each word (Mikolov and Zweig 2012; Auli et al. 2013) the first
layer sees E(w) + F s, and the output layer [h; s].
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from nlmt.neural.data.numbered_text import BEGIN_ID
from nlmt.neural.keys.architecture import Architecture
from nlmt.neural.outputs.registry import OutputLayout
from nlmt.neural.parameters import shapes
from nlmt.neural.torch_backend.direct_features import Direct
from nlmt.neural.torch_backend.named_parameters import NamedParameters
from nlmt.neural.torch_backend.output import make_output, rows_of
from nlmt.neural.torch_backend.sentence_layers import Drop, Layer, Memory, make_layers


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


class SentenceNetwork(NamedParameters):
    """Embeddings, layers over the sentence, an output layer and direct features."""

    def __init__(self, architecture: Architecture, layout: OutputLayout) -> None:
        super().__init__(shapes(architecture, layout))
        a = self.architecture = architecture
        self.embeddings = nn.Parameter(torch.zeros(layout.words, a.dim))
        self.layers = nn.ModuleList(make_layers(a))
        if a.direct_features:
            self.direct = nn.Parameter(torch.zeros(self.shapes["direct"]))
        if a.source_vector_dim:
            self.source_weight = nn.Parameter(torch.zeros(self.shapes["source_weight"]))
        self.output = make_output(layout, a.hidden_dim)

    @override
    def file_name(self, name: str) -> str:
        for own, meant in (
            ("output.", ""),
            ("gates.weight_ih_l0", "input_weight"),
            ("gates.weight_hh_l0", "hidden_weight"),
            ("gates.bias_ih_l0", "input_bias"),
            ("gates.bias_hh_l0", "hidden_bias"),
        ):
            name = name.replace(own, meant)
        return name

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
        if self.architecture.network == "transformer":
            x = functional.layer_norm(x, x.shape[-1:])
        return x if beside is None else torch.cat([x, beside], 2)

    def features(self, histories: Tensor) -> Direct | None:
        """The direct features after the last words (batch, direct_order - 1)."""
        if not self.architecture.direct_features:
            return None
        return Direct.after(self.direct, self.architecture.direct_features, histories)

    def stack(self) -> list[Layer]:
        """The layers, the lowest first."""
        return [layer for layer in self.layers if isinstance(layer, Layer)]
