"""The compiled parts of models, with parameters."""

import numpy as np
from numpy.typing import NDArray

from nlmt.neural import _kernel
from nlmt.neural.data.tensors import Parameters
from nlmt.neural.keys.architecture import Architecture
from nlmt.neural.outputs.registry import OutputLayout


def as_rows(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Values as the kernel holds them: a bias is one row, matrices stand one below the other."""
    return values[None, :] if values.ndim == 1 else values.reshape(-1, values.shape[-1])


def compiled_output(
    layout: OutputLayout, dim: int, parameters: Parameters
) -> _kernel.Output32 | None:
    """The output layer of hidden vectors of `dim` numbers; None where the kernel has none."""
    layer = layout.compiled(dim)
    if layer is not None:
        for name in layout.shapes(dim):
            layer.set(name, as_rows(parameters[name]))
    return layer


def compiled_direct(architecture: Architecture, parameters: Parameters) -> _kernel.Direct32 | None:
    """The direct features, if there are any."""
    if not architecture.direct_features:
        return None
    rows = parameters["direct"].size - architecture.direct_features
    direct = _kernel.Direct32(architecture.direct_features, rows, architecture.direct_order - 1)
    direct.set("direct", as_rows(parameters["direct"]))
    return direct


def compiled_input(
    architecture: Architecture, layout: OutputLayout, parameters: Parameters
) -> _kernel.Input32:
    """The layers below the output layer of a feed-forward model."""
    layer = _kernel.Input32(
        len(parameters["embeddings"]),
        architecture.positions,
        architecture.dim,
        architecture.source_vector_dim,
        architecture.projection,
        architecture.activation,
        list(architecture.hidden),
    )
    for name in parameters.keys() - layout.shapes(architecture.hidden_dim).keys():
        layer.set(name, as_rows(parameters[name]))
    return layer


def compiled_recurrent(
    architecture: Architecture, layout: OutputLayout, parameters: Parameters
) -> _kernel.Recurrent32:
    """The layers below the output layer of a recurrent model."""
    a = architecture
    network = _kernel.Recurrent32(a.network, layout.words, a.dim, a.source_vector_dim, a.layers)
    for name in parameters.keys() - layout.shapes(a.hidden_dim).keys() - {"direct"}:
        network.set(name, as_rows(parameters[name]))
    return network
