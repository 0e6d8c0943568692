"""The output layer of a model with its parameters, compiled where possible, else in torch."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlmt.neural import _kernel
from nlmt.neural.data.tensors import Parameters
from nlmt.neural.keys.architecture import Architecture
from nlmt.neural.outputs.registry import OutputLayout
from nlmt.neural.scoring.compiled_layers import compiled_direct, compiled_output


class OutputLayer(Protocol):
    """Scores words after hidden vectors: the compiled layer, or one in torch."""

    def score(
        self,
        hidden: NDArray[np.float32],
        starts: NDArray[np.int64],
        words: NDArray[np.int32],
        normalised: bool,
        threads: int,
        direct: _kernel.Direct32 | None = None,
        histories: NDArray[np.int32] | None = None,
    ) -> NDArray[np.float64]:
        """Natural-log probabilities of words[starts[i]:starts[i + 1]] after hidden vector i.

        Without `normalised`, scores are unnormalised. `direct` adds the weights of the n-grams that
        end in the words, after the last words of each vector.
        """
        ...


def make_output_layer(layout: OutputLayout, dim: int, parameters: Parameters) -> OutputLayer:
    """The output layer of hidden vectors of `dim` numbers; `parameters` may have more."""
    compiled = compiled_output(layout, dim, parameters)
    if compiled is not None:
        return compiled
    # torch takes seconds to load: only where it is needed.
    from nlmt.neural.torch_backend.output import TorchOutputLayer

    return TorchOutputLayer(layout, dim, {name: parameters[name] for name in layout.shapes(dim)})


def history_length(architecture: Architecture, layout: OutputLayout) -> int:
    """Number of last words that direct features and the output layer use.

    It is at least one: where vectors of the source stand beside the words, a word is read when the
    next one is known.
    """
    longest = [1, layout.history]
    if architecture.direct_features:
        longest.append(architecture.direct_order - 1)
    return max(longest)


class DirectOutput:
    """An output layer with the direct features of its model, for networks over sentences."""

    def __init__(
        self, architecture: Architecture, layout: OutputLayout, parameters: Parameters
    ) -> None:
        self._layout = layout
        self._layer = make_output_layer(layout, architecture.hidden_dim, parameters)
        self._direct = compiled_direct(architecture, parameters)
        self._longest = 0 if self._direct is None else architecture.direct_order - 1

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
        """Scores of words (n,), each after row `of`, which never falls, of `seen`.

        `histories` are the last words before each row of `seen`, `history_length` of them.
        """
        seen, words = np.ascontiguousarray(seen), np.ascontiguousarray(words, np.int32)
        last = np.ascontiguousarray(histories[:, histories.shape[1] - self._longest :])

        def score(of: NDArray[np.int64], words: NDArray[np.int32]) -> NDArray[np.float64]:
            starts = np.searchsorted(of, np.arange(len(seen) + 1))
            return self._layer.score(seen, starts, words, normalised, threads, self._direct, last)

        if self._layout.predicted is None:
            return score(of, words)
        return self._layout.complete(histories, of, words, lambda own: score(of[own], words[own]))
