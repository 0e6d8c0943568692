"""Feed-forward networks over n-grams.

Baltescu and Blunsom 2015, section 2, for sums with context matrices; Schwenk 2007 for the
concatenation.
"""

import math

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.neural import _kernel
from nlmt.neural.networks.network import Network, Shapes
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.score.layers import set_parameters
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.tensors import Parameters

# OxLM draws everything from N(0, 0.1). Small output weights start from the unigram model, and
# context matrices near a multiple of one, not near zero, let the gradient through to the embeddings
# from the start: both reach a lower dev perplexity.
SCALE = 0.03
CONTEXT_CENTRE = 0.3


class FeedForward(Network):
    """The words' embeddings joined, then hidden layers."""

    keys = ("order", "projection", "activation", "hidden")
    reads_sentences = False
    embedding_scale = SCALE
    in_kernel = True
    cost = "feed-forward"

    @override
    def layer_shapes(self, architecture: Architecture) -> Shapes:
        """Shapes as in `Network`, and of `source_weight`: it is drawn before the hidden layers."""
        a = architecture
        shapes: Shapes = {}
        if a.projection == "diagonal":
            shapes["context"] = (a.positions, a.dim)
        elif a.projection == "full":
            shapes["context"] = (a.positions, a.dim, a.dim)
        if a.source_vector_dim:
            shapes["source_weight"] = (a.projected, a.source_vector_dim)
        size = a.projected
        for i, out in enumerate(a.hidden):
            shapes[f"hidden.{i}.weight"] = (out, size)
            shapes[f"hidden.{i}.bias"] = (out,)
            size = out
        return shapes

    @override
    def shapes(self, architecture: Architecture) -> Shapes:
        return self.layer_shapes(architecture)

    @override
    def first_weight(
        self,
        architecture: Architecture,
        name: str,
        shape: tuple[int, ...],
        random: np.random.Generator,
    ) -> NDArray[np.float64]:
        if name == "context":
            full = len(shape) == 3
            scale = SCALE / math.sqrt(shape[2]) if full else SCALE
            centre = CONTEXT_CENTRE * (np.eye(shape[1]) if full else 1.0)
            return random.normal(scale=scale, size=shape) + centre
        if name.startswith("hidden") and architecture.activation == "relu":
            # Half of the units are off (He et al. 2015).
            return random.normal(scale=1 / math.sqrt(shape[1]) * math.sqrt(2), size=shape)
        return super().first_weight(architecture, name, shape, random)

    @override
    def products(self, architecture: Architecture) -> int:
        a = architecture
        elementwise = a.positions * a.dim if a.projection == "diagonal" else 0
        return super().products(a) - elementwise

    @override
    def threads(self, products: int, most: int) -> int:
        return most

    @override
    def compiled(
        self, architecture: Architecture, layout: OutputLayout, parameters: Parameters
    ) -> _kernel.Input32:
        a = architecture
        layers = _kernel.Input32(
            len(parameters["embeddings"]),
            a.positions,
            a.dim,
            a.source_vector_dim,
            a.projection,
            a.activation,
            list(a.hidden),
        )
        set_parameters(layers, parameters, ("embeddings", *self.shapes(a)))
        return layers


FEED_FORWARD = FeedForward()
