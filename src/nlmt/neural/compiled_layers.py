"""The compiled parts of networks over sentences."""

import numpy as np
from numpy.typing import NDArray

from nlmt.neural import _kernel
from nlmt.neural.config import Architecture
from nlmt.neural.parameters import Parameters
from nlmt.neural.scoring import as_rows
from nlmt.neural.short_list import ShortList
from nlmt.neural.structure import Structure


def history_length(architecture: Architecture, structure: Structure) -> int:
    """How many of the last words direct features and the back-off model of a short-list look at.

    It is at least one: what vectors of the source stand beside is read a word later.
    """
    longest = [1]
    if architecture.direct_features:
        longest.append(architecture.direct_order - 1)
    if isinstance(structure, ShortList):
        longest.append(structure.backoff.order - 1)
    return max(longest)


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
        self._structure, self._longest = structure, 0
        self.direct = None
        if architecture.direct_features:
            rows = parameters["direct"].size - architecture.direct_features
            self._longest = architecture.direct_order - 1
            self.direct = _kernel.Direct32(architecture.direct_features, rows, self._longest)
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
        """Scores of words (n,), each after row `of`, which never falls, of what was seen.

        `histories` are the last words before each row of `seen`, `history_length` of them.
        """
        seen, words = np.ascontiguousarray(seen), np.ascontiguousarray(words, np.int32)
        last = np.ascontiguousarray(histories[:, histories.shape[1] - self._longest :])

        def score(of: NDArray[np.int64], words: NDArray[np.int32]) -> NDArray[np.float64]:
            starts = np.searchsorted(of, np.arange(len(seen) + 1))
            return self.output.score(seen, starts, words, normalised, threads, self.direct, last)

        if not isinstance(self._structure, ShortList):
            return score(of, words)
        return self._structure.score(histories, of, words, lambda own: score(of[own], words[own]))


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
