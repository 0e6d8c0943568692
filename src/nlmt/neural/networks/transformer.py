"""Causal transformers: each word sees all words before it; torch trains and reads them.

Vaswani et al. 2017, with the norm before each part and rotary positions (Su et al. 2021).
"""

from typing import TYPE_CHECKING

from typing_extensions import override

from nlmt.errors import InputError
from nlmt.neural.networks.network import Network, Shapes, stacked
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.score.readers import Reader
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.tensors import Parameters

if TYPE_CHECKING:
    from nlmt.neural.torch_backend.sentence_network import Layer


class Transformer(Network):
    """Layers of attention, which has no biases, and of two products for each word by itself."""

    keys = ("layers", "heads", "direct_features")

    @override
    def check(self, architecture: Architecture) -> None:
        a = architecture
        if a.dim % (2 * a.heads):
            what = f"dim: {a.dim} is not a multiple of twice the heads"
            raise InputError(what, hint=f"for example dim: {16 * a.heads}")

    @override
    def layer_shapes(self, architecture: Architecture) -> Shapes:
        dim = architecture.dim
        parts: Shapes = {
            "attention_weight": (3 * dim, dim),
            "attention_output_weight": (dim, dim),
            "wide_weight": (4 * dim, dim),
            "wide_bias": (4 * dim,),
            "narrow_weight": (dim, 4 * dim),
            "narrow_bias": (dim,),
        }
        return stacked(architecture.layers, parts)

    @override
    def torch_layers(self, architecture: Architecture) -> "list[Layer]":
        from nlmt.neural.torch_backend.transformer import TransformerBlock

        a = architecture
        return [TransformerBlock(a.dim, a.heads) for _ in range(a.layers)]

    @override
    def reader(
        self, config: NeuralConfig, layout: OutputLayout, parameters: Parameters, threads: int
    ) -> Reader:
        from nlmt.neural.torch_backend.transformer import TransformerReader

        return TransformerReader(config, layout, parameters, threads)


TRANSFORMER = Transformer()
