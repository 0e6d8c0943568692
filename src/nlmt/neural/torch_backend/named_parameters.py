"""Torch modules whose parameters have other names in a model's files."""

import numpy as np
import torch
from torch import nn

from nlmt.neural.data.tensors import Parameters
from nlmt.neural.torch_backend.output import Output


class NamedParameters(nn.Module):
    """A module whose parameters have other names and shapes in the files.

    Attributes:
        shapes: of the parameters in the files, as in `nlmt.neural.parameters`.
        output: the output layer; if its gradients are sparse, so are those of embeddings.
    """

    output: Output

    def __init__(self, shapes: dict[str, tuple[int, ...]]) -> None:
        super().__init__()
        self.shapes = shapes

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
