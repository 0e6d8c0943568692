"""The parts of a model with parameters: compiled, or an output layer in torch."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nlmt.neural import _kernel
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.tensors import Parameters

if TYPE_CHECKING:
    from nlmt.neural.torch_backend.output import TorchOutputLayer

    OutputLayer = _kernel.Output32 | TorchOutputLayer

CompiledLayer = _kernel.Input32 | _kernel.Recurrent32 | _kernel.Output32 | _kernel.Direct32


def as_rows(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Values in the kernel's form: a bias is one row, matrices are one below the other."""
    return values[None, :] if values.ndim == 1 else values.reshape(-1, values.shape[-1])


def set_parameters(layer: CompiledLayer, parameters: Parameters, names: Iterable[str]) -> None:
    """Give a compiled layer its parameters."""
    for name in names:
        layer.set(name, as_rows(parameters[name]))


def compiled_output(
    layout: OutputLayout, dim: int, parameters: Parameters
) -> _kernel.Output32 | None:
    """The output layer of hidden vectors of `dim` numbers; None where the kernel has none."""
    layer = layout.compiled(dim)
    if layer is not None:
        set_parameters(layer, parameters, layout.shapes(dim))
    return layer


def compiled_direct(architecture: Architecture, parameters: Parameters) -> _kernel.Direct32 | None:
    """The compiled direct features; None where there are none."""
    if not architecture.direct_features:
        return None
    rows = parameters["direct"].size - architecture.direct_features
    direct = _kernel.Direct32(architecture.direct_features, rows, architecture.direct_order - 1)
    set_parameters(direct, parameters, ["direct"])
    return direct


def make_output_layer(layout: OutputLayout, dim: int, parameters: Parameters) -> "OutputLayer":
    """The output layer of hidden vectors of `dim` numbers; `parameters` may have more."""
    compiled = compiled_output(layout, dim, parameters)
    if compiled is not None:
        return compiled
    # torch takes seconds to load: only where it is needed.
    from nlmt.neural.torch_backend.output import TorchOutputLayer

    return TorchOutputLayer.of_parameters(layout, dim, parameters)
