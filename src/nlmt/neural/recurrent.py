"""Networks that read a sentence from its beginning, in torch: each word sees all before it.

Mikolov et al. 2010, Recurrent neural network based language model (`elman`); Hochreiter and
Schmidhuber 1997 (`lstm`); Cho et al. 2014 (`gru`); Vaswani et al. 2017, with the norm before each
part and rotary positions (Su et al. 2021) (`transformer`).

A sentence is read column by column, many sentences at a time, and what a network remembers of the
words so far is handed on: training on pieces, scoring and stepping all go through `read`.

With a vector s of the source beside each word (Mikolov and Zweig 2012; Auli et al. 2013) the first
layer sees E(w) + F s, and the output layer [h; s].
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from nlmt.neural.config import Architecture
from nlmt.neural.data import BEGIN_ID
from nlmt.neural.direct_features import Direct
from nlmt.neural.network import NamedParameters
from nlmt.neural.outputs import make_output, rows_of
from nlmt.neural.parameters import shapes
from nlmt.neural.structure import Structure

# The base of the wave lengths of rotary positions.
ROTARY_BASE = 10_000.0

Memory = tuple[Tensor, ...]
Drop = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class State:
    """What is known after the words so far, of n sentences.

    Attributes:
        memories: of each layer, arrays of n rows.
        history: (n, direct_order - 1) the last words, the oldest first; no column without direct
            features.
    """

    memories: tuple[Memory, ...]
    history: Tensor

    def map(self, change: Callable[[Tensor], Tensor]) -> "State":
        """The state with each of its arrays changed."""
        memories = tuple(tuple(change(part) for part in memory) for memory in self.memories)
        return State(memories, change(self.history))


class Layer(nn.Module):
    """A layer over the columns of a batch of sentences."""

    def empty(self, n: int, like: Tensor) -> Memory:
        """What n sentences remember before their first word."""
        raise NotImplementedError

    def read(self, x: Tensor, memory: Memory, drop: Drop) -> tuple[Tensor, Memory]:
        """From inputs (n, columns, dim) to outputs (n, columns, dim) and what is remembered."""
        raise NotImplementedError


class ElmanLayer(Layer):
    """h_t = sigmoid(x_t + W h_(t-1) + b)."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.hidden_weight = nn.Parameter(torch.zeros(dim, dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def empty(self, n: int, like: Tensor) -> Memory:
        """See `Layer`."""
        return (like.new_zeros(n, len(self.bias)),)

    def read(self, x: Tensor, memory: Memory, drop: Drop) -> tuple[Tensor, Memory]:
        """See `Layer`."""
        (h,) = memory
        columns = []
        for column in (x + self.bias).unbind(1):
            h = torch.sigmoid(torch.addmm(column, h, self.hidden_weight.T))
            columns.append(h)
        return drop(torch.stack(columns, 1)), (h,)


class GatedLayer(Layer):
    """An LSTM or GRU of torch."""

    def __init__(self, kind: str, dim: int) -> None:
        super().__init__()
        self._size = 2 if kind == "lstm" else 1
        self.gates = (nn.LSTM if kind == "lstm" else nn.GRU)(dim, dim, batch_first=True)

    def empty(self, n: int, like: Tensor) -> Memory:
        """See `Layer`."""
        return (like.new_zeros(n, self.gates.hidden_size),) * self._size

    def read(self, x: Tensor, memory: Memory, drop: Drop) -> tuple[Tensor, Memory]:
        """See `Layer`."""
        first = tuple(part[None] for part in memory)  # torch has the layers in front
        y, last = self.gates(x, first if self._size == 2 else first[0])
        parts = last if self._size == 2 else (last,)
        return drop(y), tuple(part[0] for part in parts)


class TransformerBlock(Layer):
    """Attention to all words so far, then two layers for each word by itself."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self._heads = heads
        self.attention_weight = nn.Parameter(torch.zeros(3 * dim, dim))
        self.attention_output_weight = nn.Parameter(torch.zeros(dim, dim))
        self.wide_weight = nn.Parameter(torch.zeros(4 * dim, dim))
        self.wide_bias = nn.Parameter(torch.zeros(4 * dim))
        self.narrow_weight = nn.Parameter(torch.zeros(dim, 4 * dim))
        self.narrow_bias = nn.Parameter(torch.zeros(dim))

    def empty(self, n: int, like: Tensor) -> Memory:
        """See `Layer`: keys and values (n, heads, words so far, dim / heads).

        And how many words there are, the last ones: of each sentence, or one number for all.
        """
        dim = len(self.narrow_bias)
        no_words = torch.zeros(1, dtype=torch.long, device=like.device)
        return *((like.new_zeros(n, self._heads, 0, dim // self._heads),) * 2), no_words

    def read(self, x: Tensor, memory: Memory, drop: Drop) -> tuple[Tensor, Memory]:
        """See `Layer`."""
        n, columns, dim = x.shape
        keys, values, lengths = memory
        mixed = functional.linear(functional.layer_norm(x, (dim,)), self.attention_weight)
        mixed = mixed.view(n, columns, 3, self._heads, -1)
        turned = rotated(mixed[:, :, :2], lengths)
        query, key = turned.permute(2, 0, 3, 1, 4)  # (n, heads, columns, dim / heads)
        before = keys.shape[2]
        keys = torch.cat([keys, key], 2) if before else key
        value = mixed[:, :, 2].transpose(1, 2)
        values = torch.cat([values, value], 2) if before else value
        attended = functional.scaled_dot_product_attention(
            query, keys, values, attn_mask=seen_by(columns, before, lengths), is_causal=not before
        )  # (n, heads, columns, dim / heads)
        joined = attended.transpose(1, 2).reshape(n, columns, dim)
        x = x + drop(functional.linear(joined, self.attention_output_weight))
        wide = functional.linear(functional.layer_norm(x, (dim,)), self.wide_weight, self.wide_bias)
        narrow = functional.linear(functional.gelu(wide), self.narrow_weight, self.narrow_bias)
        return x + drop(narrow), (keys, values, lengths + columns)


def seen_by(columns: int, before: int, lengths: Tensor) -> Tensor | None:
    """What each of some words sees of those before and of themselves: (n or 1, 1, columns, all).

    None for all of it, or, where there are none before, what is causal.

    Args:
        columns: number of words.
        before: number of those before, padding in front of them counted.
        lengths: (n,) how many of these are words, or (1,) where none is padding.
    """
    if before == 0 or (columns == 1 and len(lengths) == 1):
        return None
    place = torch.arange(before + columns, device=lengths.device)
    seen = place <= place[before:, None]  # (columns, all)
    return (seen & (place >= before - lengths[:, None, None]))[:, None]


def rotated(x: Tensor, lengths: Tensor) -> Tensor:
    """Turn x (n, columns, ..., size) by angles that grow with the position.

    The first column comes after so many words, `lengths` (n,), or (1,) for all.
    """
    half = x.shape[-1] // 2
    speeds = ROTARY_BASE ** (-torch.arange(half, dtype=torch.double, device=x.device) / half)
    positions = lengths[:, None] + torch.arange(x.shape[1], device=x.device)
    angles = positions[..., None].double() * speeds  # (n or 1, columns, half)
    angles = angles.view(*angles.shape[:2], *[1] * (x.dim() - 3), half)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    left, right = x[..., :half], x[..., half:]
    return torch.cat([left * cos - right * sin, left * sin + right * cos], -1)


class RecurrentNetwork(NamedParameters):
    """Embeddings, layers over the sentence, an output layer and direct features."""

    def __init__(self, architecture: Architecture, structure: Structure) -> None:
        super().__init__(shapes(architecture, structure))
        a = self.architecture = architecture
        self.embeddings = nn.Parameter(torch.zeros(structure.words, a.dim))
        layers: list[Layer]
        if a.network == "elman":
            layers = [ElmanLayer(a.dim)]
        elif a.network == "transformer":
            layers = [TransformerBlock(a.dim, a.heads) for _ in range(a.layers)]
        else:
            layers = [GatedLayer(a.network, a.dim) for _ in range(a.layers)]
        self.layers = nn.ModuleList(layers)
        if a.direct_features:
            self.direct = nn.Parameter(torch.zeros(self.shapes["direct"]))
        if a.beside:
            self.source_weight = nn.Parameter(torch.zeros(self.shapes["source_weight"]))
        self.output = make_output(structure, a.hidden_dim)

    def file_name(self, name: str) -> str:
        """See `NamedParameters`."""
        for own, meant in (
            ("output.", ""),
            ("gates.weight_ih_l0", "input_weight"),
            ("gates.weight_hh_l0", "hidden_weight"),
            ("gates.bias_ih_l0", "input_bias"),
            ("gates.bias_hh_l0", "hidden_bias"),
        ):
            name = name.replace(own, meant)
        return name

    def empty(self, n: int) -> State:
        """Before `<s>`."""
        width = self.architecture.direct_order - 1 if self.architecture.direct_features else 0
        like = self.embeddings
        memories = tuple(layer.empty(n, like) for layer in self._stack())
        history = torch.full((n, width), BEGIN_ID, dtype=torch.long, device=like.device)
        return State(memories, history)

    def read(
        self,
        state: State,
        words: Tensor,
        beside: Tensor | None = None,
        drop: Drop = lambda x: x,
    ) -> tuple[Tensor, Tensor, State]:
        """Go on with words (n, columns), at least one column.

        Args:
            state: of n sentences.
            words: `<s>` first, where the state is empty.
            beside: (n, columns, numbers) vector of the source for the word that comes next; None
                for a network that sees none.
            drop: leaves out units while a model is trained.

        Returns:
            After each word, what the output layer sees (n, columns, dim + numbers) and the last
            words (n, columns, direct_order - 1); the state after the last column.
        """
        x = drop(rows_of(self.embeddings, words, sparse=self.output.sparse))
        if beside is not None and self.architecture.beside:
            x = x + functional.linear(beside, self.source_weight)
        memories = []
        for layer, before in zip(self._stack(), state.memories, strict=True):
            x, after = layer.read(x, before, drop)
            memories.append(after)
        if self.architecture.network == "transformer":
            x = functional.layer_norm(x, x.shape[-1:])
        width = state.history.shape[1]
        known = torch.cat([state.history, words], 1) if width else words[:, :0]
        columns = words.shape[1]
        places = torch.arange(columns, device=words.device)[:, None] + 1
        places = places + torch.arange(width, device=words.device)  # (columns, width)
        last = known[:, columns:] if width else known
        seen = x if beside is None else torch.cat([x, beside], 2)
        return seen, known[:, places], State(tuple(memories), last)

    def features(self, histories: Tensor) -> Direct | None:
        """The direct features after the last words (batch, direct_order - 1)."""
        if not self.architecture.direct_features:
            return None
        return Direct.after(self.direct, self.architecture.direct_features, histories)

    def _stack(self) -> list[Layer]:
        return [layer for layer in self.layers if isinstance(layer, Layer)]
