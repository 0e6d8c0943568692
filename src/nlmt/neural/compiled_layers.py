"""The compiled parts of networks over sentences."""

import numpy as np
from numpy.typing import NDArray

from nlmt.neural import _kernel
from nlmt.neural.config import Architecture
from nlmt.neural.parameters import Parameters
from nlmt.neural.scoring import as_rows
from nlmt.neural.structure import Structure


class CompiledOutput:
    """An output layer with its direct features.

    Attributes:
        output: the layer.
        direct: the features, if there are any.
    """

    def __init__(
        self, architecture: Architecture, structure: Structure, parameters: Parameters
    ) -> None:
        self._shapes = {name: values.shape for name, values in parameters.items()}
        self._own = set(structure.shapes(architecture.hidden_dim))
        self.output = structure.compiled(architecture.hidden_dim)
        self.direct = None
        if architecture.direct_features:
            rows = parameters["direct"].size - architecture.direct_features
            longest = architecture.direct_order - 1
            self.direct = _kernel.Direct32(architecture.direct_features, rows, longest)
            self.direct.set("direct", as_rows(parameters["direct"]))
        for name in self._own:
            self.output.set(name, as_rows(parameters[name]))

    def score(
        self,
        seen: NDArray[np.float32],
        histories: NDArray[np.int32],
        of: NDArray[np.int64],
        words: NDArray[np.int32],
        *,
        normalised: bool,
        threads: int,
    ) -> NDArray[np.float64]:
        """Scores of words (n,), each after row `of`, which never falls, of what was seen."""
        starts = np.searchsorted(of, np.arange(len(seen) + 1))
        words = np.ascontiguousarray(words, np.int32)
        return self.output.score(
            np.ascontiguousarray(seen), starts, words, normalised, threads, self.direct, histories
        )


class RecurrentLayers(CompiledOutput):
    """A recurrent network.

    Attributes:
        network: from words to states.
    """

    def __init__(
        self, architecture: Architecture, structure: Structure, parameters: Parameters
    ) -> None:
        super().__init__(architecture, structure, parameters)
        a = architecture
        self.network = _kernel.Recurrent32(a.network, structure.words, a.dim, a.beside, a.layers)
        for name in self._shapes.keys() - self._own - {"direct"}:
            self.network.set(name, as_rows(parameters[name]))

    def parameters(self) -> Parameters:
        """A copy of the parameters."""
        result: Parameters = {}
        for name, shape in self._shapes.items():
            if name == "direct" and self.direct is not None:
                values = self.direct.get(name)
            else:
                values = (self.output if name in self._own else self.network).get(name)
            result[name] = values.reshape(shape)
        return result
