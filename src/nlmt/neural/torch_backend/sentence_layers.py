"""Layers over sentences, in torch: each word sees all words before it.

Mikolov et al. 2010, Recurrent neural network based language model (`elman`); Hochreiter and
Schmidhuber 1997 (`lstm`); Cho et al. 2014 (`gru`); Vaswani et al. 2017, with the norm before each
part and rotary positions (Su et al. 2021) (`transformer`).
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from nlmt.neural.keys.architecture import Architecture

# The base of the wave lengths of rotary positions.
ROTARY_BASE = 10_000.0

Memory = tuple[Tensor, ...]
Drop = Callable[[Tensor], Tensor]


class Layer(nn.Module):
    """A layer over the columns of a batch of sentences."""

    def empty(self, n: int, like: Tensor) -> Memory:
        """The memory of n sentences before their first word."""
        raise NotImplementedError

    def read(self, x: Tensor, memory: Memory, drop: Drop) -> tuple[Tensor, Memory]:
        """Compute outputs (n, columns, dim) and the memory from inputs (n, columns, dim)."""
        raise NotImplementedError


class ElmanLayer(Layer):
    """An Elman layer: h_t = sigmoid(x_t + W h_(t-1) + b)."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.hidden_weight = nn.Parameter(torch.zeros(dim, dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    @override
    def empty(self, n: int, like: Tensor) -> Memory:
        return (like.new_zeros(n, len(self.bias)),)

    @override
    def read(self, x: Tensor, memory: Memory, drop: Drop) -> tuple[Tensor, Memory]:
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

    @override
    def empty(self, n: int, like: Tensor) -> Memory:
        return (like.new_zeros(n, self.gates.hidden_size),) * self._size

    @override
    def read(self, x: Tensor, memory: Memory, drop: Drop) -> tuple[Tensor, Memory]:
        first = tuple(part[None] for part in memory)  # torch has the layers in front
        if _needs_float32(x):
            with torch.autocast("cpu", enabled=False):
                y, last = self.gates(x.float(), first if self._size == 2 else first[0])
        else:
            y, last = self.gates(x, first if self._size == 2 else first[0])
        parts = last if self._size == 2 else (last,)
        return drop(y), tuple(part[0] for part in parts)


def _needs_float32(x: Tensor) -> bool:
    """Whether bfloat16 is asked for and this processor, without AVX-512, has no such LSTM."""
    if x.device.type != "cpu" or not torch.is_autocast_enabled("cpu"):
        return False
    return not torch.ops.mkldnn._is_mkldnn_bf16_supported()  # torch asks the same


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

    @override
    def empty(self, n: int, like: Tensor) -> Memory:
        # Keys and values (n, heads, words so far, dim / heads), and the number of words, which are
        # the last ones: for each sentence, or one number for all.
        dim = len(self.narrow_bias)
        no_words = torch.zeros(1, dtype=torch.long, device=like.device)
        return *((like.new_zeros(n, self._heads, 0, dim // self._heads),) * 2), no_words

    @override
    def read(self, x: Tensor, memory: Memory, drop: Drop) -> tuple[Tensor, Memory]:
        keys, values, lengths = memory
        query, key, value = self.projected(x, lengths)
        before, columns = keys.shape[2], x.shape[1]
        keys = torch.cat([keys, key], 2) if before else key
        values = torch.cat([values, value], 2) if before else value
        attended = functional.scaled_dot_product_attention(
            query, keys, values, attn_mask=seen_by(columns, before, lengths), is_causal=not before
        )  # (n, heads, columns, dim / heads)
        return self.completed(x, attended, drop), (keys, values, lengths + columns)

    def projected(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values (n, heads, columns, dim / heads) of inputs (n, columns, dim).

        The first column comes after so many words, `lengths` (n,), or (1,) for all.
        """
        n, columns, dim = x.shape
        mixed = functional.linear(functional.layer_norm(x, (dim,)), self.attention_weight)
        mixed = mixed.view(n, columns, 3, self._heads, -1)
        query, key = rotated(mixed[:, :, :2], lengths).permute(2, 0, 3, 1, 4)
        return query, key, mixed[:, :, 2].transpose(1, 2)

    def completed(self, x: Tensor, attended: Tensor, drop: Drop) -> Tensor:
        """Outputs (n, columns, dim) from inputs and the result of attention (see `projected`)."""
        n, columns, dim = x.shape
        joined = attended.transpose(1, 2).reshape(n, columns, dim)
        x = x + drop(functional.linear(joined, self.attention_output_weight))
        wide = functional.linear(functional.layer_norm(x, (dim,)), self.wide_weight, self.wide_bias)
        narrow = functional.linear(functional.gelu(wide), self.narrow_weight, self.narrow_bias)
        return x + drop(narrow)


def seen_by(columns: int, before: int, lengths: Tensor) -> Tensor | None:
    """Mask of the words that each word may see (n or 1, 1, columns, all).

    None for all words, or, without words before, for causal attention.

    Args:
        columns: number of words.
        before: number of words before them, including leading padding.
        lengths: (n,) number of these that are words, or (1,) where none is padding.
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


def make_layers(architecture: Architecture) -> list[Layer]:
    """The layers of a network over sentences, their parameters zero."""
    a = architecture
    if a.network == "elman":
        return [ElmanLayer(a.dim)]
    if a.network == "transformer":
        return [TransformerBlock(a.dim, a.heads) for _ in range(a.layers)]
    return [GatedLayer(a.network, a.dim) for _ in range(a.layers)]
