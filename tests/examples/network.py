"""A network: a memory of the sentence to which each word is added, and which fades.

s_t = r s_(t-1) + x_t and h_t = tanh(W s_t + b), r between 0 and 1 for each unit.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from nlmt.neural.networks.network import Network, Shapes
from nlmt.neural.parts import NETWORKS
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.torch_backend.sentence_network import Drop, Layer, Memory


class FadingLayer(Layer):
    """The layer in torch; its parameters have the names of `Fading.layer_shapes`."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(dim, dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.fading_bias = nn.Parameter(torch.zeros(dim))

    def empty(self, n: int, like: Tensor) -> Memory:
        return (like.new_zeros(n, len(self.bias)),)

    def read(self, x: Tensor, memory: Memory, drop: Drop) -> tuple[Tensor, Memory]:
        (total,), columns = memory, []
        for column in x.unbind(1):  # (n, dim)
            total = torch.sigmoid(self.fading_bias) * total + column
            columns.append(torch.tanh(functional.linear(total, self.weight, self.bias)))
        return drop(torch.stack(columns, 1)), (total,)


class Fading(Network):
    """One layer, whose state has a fixed size: it is trained on pieces of `unroll` words."""

    keys = ("unroll", "direct_features")

    def layer_shapes(self, architecture: Architecture) -> Shapes:
        dim = architecture.dim
        return {
            "layers.0.weight": (dim, dim),
            "layers.0.bias": (dim,),
            "layers.0.fading_bias": (dim,),
        }

    def torch_layers(self, architecture: Architecture) -> list[Layer]:
        return [FadingLayer(architecture.dim)]


NETWORKS.register("fading", Fading())
