"""The feed-forward models in torch: the readable reference, and the training on GPUs.

Input, projection, hidden layers and output layer are parts that `Architecture` names. Baltescu and
Blunsom 2015, section 2, for sums with context matrices and class-factored output; Schwenk 2007 for
concatenation.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.torch_backend.device import put
from nlmt.neural.torch_backend.network import TorchNetwork

ACTIVATIONS = {"relu": torch.relu, "tanh": torch.tanh, "sigmoid": torch.sigmoid}


class WindowNetwork(TorchNetwork):
    """A feed-forward language model."""

    context: nn.Parameter

    def __init__(
        self, architecture: Architecture, layout: OutputLayout, source_words: int = 0
    ) -> None:
        super().__init__(architecture, layout, source_words)
        sizes = [self.shapes[f"hidden.{i}.weight"] for i in range(len(architecture.hidden))]
        self.hidden_layers = nn.ModuleList(nn.Linear(size, out) for out, size in sizes)

    @override
    def file_name(self, name: str) -> str:
        return name.replace("hidden_layers.", "hidden.").removeprefix("output.")

    def hidden(
        self, contexts: Tensor, mask: Tensor | None = None, beside: Tensor | None = None
    ) -> Tensor:
        """Input of the output layer (batch, h + n) for contexts (batch, positions).

        `mask` (batch, h) multiplies the hidden units: dropout. `beside` (batch, n) are vectors of
        the source, which the projection and the output layer see (Auli et al. 2013).
        """
        activate = ACTIVATIONS[self.architecture.activation]
        q = self.output.rows_of(self.embeddings, contexts)  # (batch, positions, dim)
        if self.architecture.projection == "diagonal":
            h = (q * self.context).sum(1)
        elif self.architecture.projection == "full":
            h = torch.einsum("bji,joi->bo", q, self.context)
        else:
            h = q.flatten(1)
        if beside is not None:
            h = h + functional.linear(beside, self.source_weight)
        if self.architecture.projection != "concatenation":
            h = activate(h)
        for layer in self.hidden_layers:
            h = activate(layer(h))
        h = h if mask is None else h * mask
        return h if beside is None else torch.cat([h, beside], 1)

    def scored_hidden(
        self, contexts: NDArray[np.int32], beside: NDArray[np.float32], threads: int
    ) -> Tensor:
        """`hidden` of arrays, without gradients (`HiddenLayers` of scoring)."""
        device = self.embeddings.device
        vectors = put(beside, device) if self.architecture.source_vector_dim else None
        with torch.inference_mode():
            return self.hidden(put(contexts, device).long(), beside=vectors)
