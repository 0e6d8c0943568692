"""Networks in torch, with parameters under the names of the files."""

import numpy as np
import torch
from torch import nn

from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.parameters import shapes
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.tensors import Parameters
from nlmt.neural.torch_backend.output import make_output


class TorchNetwork(nn.Module):
    """A network with its output layer, its parameters zero.

    Attributes:
        architecture: its parts.
        shapes: of the parameters in the files, as in `nlmt.neural.parameters`.
        embeddings: of words; source words have theirs below those of the others.
        source_weight: of vectors of the source, for a network with such vectors.
        output: the output layer; if its gradients are sparse, so are those of embeddings.
    """

    embeddings: nn.Parameter
    source_weight: nn.Parameter

    def __init__(
        self, architecture: Architecture, layout: OutputLayout, source_words: int = 0
    ) -> None:
        super().__init__()
        self.architecture = architecture
        self.shapes = shapes(architecture, layout, source_words)
        above = layout.shapes(architecture.hidden_dim)
        for name, shape in self.shapes.items():
            if "." not in name and name not in above:
                self.register_parameter(name, nn.Parameter(torch.zeros(shape)))
        self.output = make_output(layout, architecture.hidden_dim)

    def file_name(self, name: str) -> str:
        """The name in the files of torch's parameter `name`."""
        raise NotImplementedError

    def named(self) -> dict[str, nn.Parameter]:
        """The parameters under their names in the files."""
        own = {self.file_name(name): parameter for name, parameter in self.named_parameters()}
        return {name: own[name] for name in self.shapes}

    def load_parameters(self, parameters: Parameters) -> None:
        """Set the parameters to the values of `parameters`."""
        with torch.no_grad():
            for name, own in self.named().items():
                own.copy_(torch.from_numpy(parameters[name]))

    def parameters_as_arrays(self) -> Parameters:
        """A copy of the parameters."""
        return {
            name: own.detach().cpu().numpy().astype(np.float32)
            for name, own in self.named().items()
        }
