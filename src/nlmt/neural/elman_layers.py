"""The compiled parts of an Elman network."""

from nlmt.neural import _kernel
from nlmt.neural.config import Architecture
from nlmt.neural.parameters import Parameters
from nlmt.neural.scoring import as_rows
from nlmt.neural.structure import Structure


class ElmanLayers:
    """The compiled parts of an Elman network.

    Attributes:
        elman: from words to states.
        output: the output layer.
        direct: the direct features, if there are any.
    """

    def __init__(
        self, architecture: Architecture, structure: Structure, parameters: Parameters
    ) -> None:
        self._shapes = {name: values.shape for name, values in parameters.items()}
        self.elman = _kernel.Elman32(structure.words, architecture.dim, architecture.beside)
        self.output = structure.compiled(architecture.hidden_dim)
        self.direct = None
        if architecture.direct_features:
            rows = parameters["direct"].size - architecture.direct_features
            longest = architecture.direct_order - 1
            self.direct = _kernel.Direct32(architecture.direct_features, rows, longest)
        for name, values in parameters.items():
            self._layer(name).set(name, as_rows(values))

    def _layer(self, name: str) -> _kernel.Elman32 | _kernel.Output32 | _kernel.Direct32:
        if self.direct is not None and name == "direct":
            return self.direct
        below = name in ("embeddings", "source_weight") or name.startswith("layers.")
        return self.elman if below else self.output

    def parameters(self) -> Parameters:
        """A copy of the parameters."""
        return {
            name: self._layer(name).get(name).reshape(shape) for name, shape in self._shapes.items()
        }
