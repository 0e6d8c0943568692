"""Recurrent layers in torch; `nlmt.neural.networks.recurrent` names the papers."""

from typing import ClassVar

import torch
from torch import Tensor, nn
from typing_extensions import override

from nlmt.neural.torch_backend.sentence_network import Drop, Layer, Memory


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

    renamed: ClassVar[dict[str, str]] = {
        "gates.weight_ih_l0": "input_weight",
        "gates.weight_hh_l0": "hidden_weight",
        "gates.bias_ih_l0": "input_bias",
        "gates.bias_hh_l0": "hidden_bias",
    }

    def __init__(self, kind: str, dim: int) -> None:
        super().__init__()
        self._size = 2 if kind == "lstm" else 1
        self.gates = (nn.LSTM if kind == "lstm" else nn.GRU)(dim, dim, batch_first=True)

    @override
    def empty(self, n: int, like: Tensor) -> Memory:
        return (like.new_zeros(n, self.gates.hidden_size),) * self._size

    @override
    def read(self, x: Tensor, memory: Memory, drop: Drop) -> tuple[Tensor, Memory]:
        before = tuple(part[None] for part in memory)  # torch has the layers in front
        first = before if self._size == 2 else before[0]
        if _needs_float32(x):
            with torch.autocast("cpu", enabled=False):
                y, last = self.gates(x.float(), first)
        else:
            y, last = self.gates(x, first)
        parts = last if self._size == 2 else (last,)
        return drop(y), tuple(part[0] for part in parts)


def _needs_float32(x: Tensor) -> bool:
    """Whether bfloat16 is asked for and this processor, without AVX-512, has no such LSTM."""
    if x.device.type != "cpu" or not torch.is_autocast_enabled("cpu"):
        return False
    return not torch.ops.mkldnn._is_mkldnn_bf16_supported()  # torch asks the same
