"""Recurrent networks, which read a sentence word by word.

Mikolov et al. 2010, Recurrent neural network based language model (`elman`); Hochreiter and
Schmidhuber 1997 (`lstm`); Cho et al. 2014 (`gru`).
"""

from typing import TYPE_CHECKING

from typing_extensions import override

from nlmt.neural import _kernel
from nlmt.neural.networks.network import Network, Shapes, stacked
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.score.layers import set_parameters
from nlmt.neural.score.readers import CompiledReader
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.tensors import Parameters

if TYPE_CHECKING:
    from nlmt.neural.torch_backend.sentence_network import Layer

# The threads wait for each other at each place in the sentences of a minibatch: two are no faster
# with 20 words and 100 units, but 1.6 times as fast with 500 words and 200 units.
PRODUCTS_OF_THREAD = 2_000_000


class Recurrent(Network):
    """A network whose state has a fixed size: gradients flow back through `unroll` words."""

    in_kernel = True
    cost = "recurrent"

    @override
    def threads(self, products: int, most: int) -> int:
        return min(max(1, products // PRODUCTS_OF_THREAD), most)

    @override
    def compiled(
        self, architecture: Architecture, layout: OutputLayout, parameters: Parameters
    ) -> _kernel.Recurrent32:
        a = architecture
        layers = _kernel.Recurrent32(a.network, layout.words, a.dim, a.source_vector_dim, a.layers)
        set_parameters(layers, parameters, ("embeddings", *self.shapes(a)))
        return layers

    @override
    def reader(
        self, config: NeuralConfig, layout: OutputLayout, parameters: Parameters, threads: int
    ) -> CompiledReader:
        layers = self.compiled(config, layout, parameters)
        return CompiledReader(layers, config, layout, parameters, threads)


class Elman(Recurrent):
    """One layer: h_t = sigmoid(x_t + W h_(t-1) + b)."""

    keys = ("unroll", "direct_features")

    @override
    def layer_shapes(self, architecture: Architecture) -> Shapes:
        dim = architecture.dim
        return {"layers.0.hidden_weight": (dim, dim), "layers.0.bias": (dim,)}

    @override
    def torch_layers(self, architecture: Architecture) -> "list[Layer]":
        from nlmt.neural.torch_backend.recurrent import ElmanLayer

        return [ElmanLayer(architecture.dim)]


class Gated(Recurrent):
    """Layers of gated units, whose gates are stacked in torch's order.

    A GRU has a bias for each product.
    """

    keys = ("unroll", "layers", "direct_features")

    def __init__(self, cell: str, gates: int) -> None:
        self._cell, self._gates = cell, gates

    @override
    def layer_shapes(self, architecture: Architecture) -> Shapes:
        rows, dim = self._gates * architecture.dim, architecture.dim
        parts: Shapes = {
            "input_weight": (rows, dim),
            "hidden_weight": (rows, dim),
            "input_bias": (rows,),
            "hidden_bias": (rows,),
        }
        return stacked(architecture.layers, parts)

    @override
    def torch_layers(self, architecture: Architecture) -> "list[Layer]":
        from nlmt.neural.torch_backend.recurrent import GatedLayer

        return [GatedLayer(self._cell, architecture.dim) for _ in range(architecture.layers)]


ELMAN, GRU, LSTM = Elman(), Gated("gru", 3), Gated("lstm", 4)
