"""Networks that read a sentence from its beginning, in torch: each word sees all before it.

Sentences are read column by column, many at a time, and the network's memory of the words so far is
passed on: training on pieces, scoring and stepping all use `read`.

With a vector s of the source beside each word (Mikolov and Zweig 2012; Auli et al. 2013) the first
layer sees E(w) + F s, and the output layer [h; s].
"""

from collections.abc import Callable
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


class SentenceNetwork(TorchNetwork):
    """Embeddings, layers over the sentence, an output layer and direct features."""

    direct: nn.Parameter

    def __init__(
        self, architecture: Architecture, layout: OutputLayout, source_words: int = 0
    ) -> None:
        super().__init__(architecture, layout, source_words)
        layers = NETWORKS.get(architecture.network).torch_layers(architecture)
        self.layers = nn.ModuleList(layers)

    @override
    def file_name(self, name: str) -> str:
        for own, meant in self.stack()[0].renamed.items():
            name = name.replace(own, meant)
        return name.removeprefix("output.")

    def empty(self, n: int) -> tuple[Memory, ...]:
        """The memory of each layer before `<s>`."""
        return tuple(layer.empty(n, self.embeddings) for layer in self.stack())

    def read(
        self,
        memories: tuple[Memory, ...],
        words: Tensor,
        beside: Tensor | None = None,
        drop: Drop = lambda x: x,
    ) -> tuple[Tensor, tuple[Memory, ...]]:
        """Read words (n, columns), at least one column.

        Args:
            memories: of each layer, of n sentences.
            words: `<s>` first, where the memories are empty.
            beside: (n, columns, numbers) vector of the source for the next word; None for a network
                without.
            drop: dropout, during training.

        Returns:
            After each word, the input of the output layer (n, columns, dim + numbers); the memories
            after the last column.
        """
        x = self.embedded(words, beside, drop)
        after = []
        for layer, before in zip(self.stack(), memories, strict=True):
            x, memory = layer.read(x, before, drop)
            after.append(memory)
        return self.seen(x, beside), tuple(after)

    def embedded(self, words: Tensor, beside: Tensor | None, drop: Drop = lambda x: x) -> Tensor:
        """Input of the first layer (n, columns, dim); arguments as in `read`."""
        x = drop(self.output.rows_of(self.embeddings, words))
        if beside is not None and self.architecture.source_vector_dim:
            x = x + functional.linear(beside, self.source_weight)
        return x

    def seen(self, x: Tensor, beside: Tensor | None) -> Tensor:
        """Input of the output layer, from the last layer's output (n, columns, dim)."""
        x = self.stack()[-1].finish(x)
        return x if beside is None else torch.cat([x, beside], 2)

    def features(self, words: Tensor) -> Direct | None:
        """The direct features after each of words (n, columns), `<s>` first, row by row."""
        size, longest = self.architecture.direct_features, self.architecture.direct_order - 1
        if not size:
            return None
        before = words.new_full((len(words), longest - 1), BEGIN_ID)
        histories = torch.cat([before, words], 1).unfold(1, longest, 1)
        return Direct.after(self.direct, size, histories.flatten(0, 1))

    def stack(self) -> list[Layer]:
        """The layers, the lowest first."""
        return [layer for layer in self.layers if isinstance(layer, Layer)]
