"""Transformers in torch: blocks of attention, and their reader word by word."""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from nlmt.neural import _kernel
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.score.prefixes import Prefixes
from nlmt.neural.score.readers import Memories
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.tensors import Parameters
from nlmt.neural.torch_backend.reader import TorchReader
from nlmt.neural.torch_backend.sentence_network import Drop, Layer, Memory

# The base of the wave lengths of rotary positions.
ROTARY_BASE = 10_000.0


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
    def finish(self, x: Tensor) -> Tensor:
        return functional.layer_norm(x, x.shape[-1:])

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


class TransformerReader(TorchReader):
    """A transformer, read by torch and, on the CPU, a compiled attention.

    The keys and values of each word (2 layers, heads, dim / heads) are in `Prefixes` once.
    """

    def __init__(
        self, config: NeuralConfig, layout: OutputLayout, parameters: Parameters, threads: int
    ) -> None:
        super().__init__(config, layout, parameters, threads)
        self._blocks = [one for one in self._network.stack() if isinstance(one, TransformerBlock)]
        size = config.dim // config.heads
        self._attention = _kernel.PrefixAttention32(config.heads, size, threads)

    @override
    def empty(self, n: int) -> Memories:
        return ((Prefixes.empty(n),),)

    @override
    def _read(self, memories: Memories, column: Tensor, vectors: Tensor) -> tuple[Tensor, Memories]:
        prefixes: Prefixes = memories[0][0]
        way = self._read_copies if self._device.type == "cuda" else self._read_in_place
        seen, new = way(prefixes, column, vectors)
        return seen, ((prefixes.and_then(new),),)

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
        seen, after = self._network.read(self._gathered(prefixes), column, vectors)
        new = [part[:, :, -1] for keys, values, _ in after for part in (keys, values)]
        return seen, torch.stack(new, 1)

    def _gathered(self, prefixes: Prefixes) -> tuple[Memory, ...]:
        """The memory of each layer, as the network takes it."""
        n, longest = prefixes.block.shape
        if longest == 0:
            return self._network.empty(n)
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
