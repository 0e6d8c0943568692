"""Readers of sentences word by word, for n sentences side by side."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.neural import _kernel
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.score.layers import compiled_direct, make_output_layer
from nlmt.neural.settings.neural import NeuralConfig
from nlmt.neural.source.vectors import SourceVectors
from nlmt.neural.tensors import Parameters

# What a network remembers of n sentences, for each layer: arrays of n rows, or `Prefixes`.
Memories = tuple[tuple[Any, ...], ...]


class Reader(ABC):
    """A network and its output layer."""

    def __init__(
        self, config: NeuralConfig, layout: OutputLayout, parameters: Parameters, threads: int
    ) -> None:
        self._layout, self._threads = layout, threads
        self._output = make_output_layer(layout, config.hidden_dim, parameters)
        self._direct = compiled_direct(config, parameters)
        self._longest = 0 if self._direct is None else config.direct_order - 1

    @property
    def history(self) -> int:
        """Number of last words that direct features and the output layer use.

        It is at least one: where vectors of the source stand beside the words, a word is read when
        the next one is known.
        """
        return max(1, self._layout.history, self._longest)

    @abstractmethod
    def empty(self, n: int) -> Memories:
        """The memories before `<s>`."""

    @abstractmethod
    def read(
        self, memories: Memories, words: NDArray[np.int32], beside: SourceVectors
    ) -> tuple[NDArray[np.float32], Memories]:
        """Input of the output layer after words (n,) with vectors beside them; the memories."""

    def score(
        self,
        seen: NDArray[np.float32],
        histories: NDArray[np.int32],
        of: NDArray[np.int64],
        words: NDArray[np.int32],
        *,
        normalised: bool,
    ) -> NDArray[np.float64]:
        """Scores of words (n,), each after row `of`, which never falls, of `seen`.

        `histories` are the last words before each row of `seen`, `history` of them.
        """
        seen, words = np.ascontiguousarray(seen), np.ascontiguousarray(words, np.int32)
        last = np.ascontiguousarray(histories[:, histories.shape[1] - self._longest :])

        def score(of: NDArray[np.int64], words: NDArray[np.int32]) -> NDArray[np.float64]:
            starts = np.searchsorted(of, np.arange(len(seen) + 1))
            features = self._direct, last
            return self._output.score(seen, starts, words, normalised, self._threads, *features)

        if self._layout.predicted is None:
            return score(of, words)
        return self._layout.complete(histories, of, words, lambda own: score(of[own], words[own]))


def take(memories: Memories, rows: NDArray[np.integer]) -> Memories:
    """The memories of some sentences, each any number of times."""
    return tuple(tuple(part[rows] for part in memory) for memory in memories)


class CompiledReader(Reader):
    """The compiled recurrent network; a score does not depend on the rest of its batch.

    The memories of all layers are one array, which ends with the last layer's output.
    """

    def __init__(
        self,
        layers: _kernel.Recurrent32,
        config: NeuralConfig,
        layout: OutputLayout,
        parameters: Parameters,
        threads: int,
    ) -> None:
        super().__init__(config, layout, parameters, threads)
        self._dim = config.dim
        self._reader = _kernel.RecurrentReader32(layers, threads)

    @override
    def empty(self, n: int) -> Memories:
        return ((np.zeros((n, self._reader.state_size), dtype=np.float32),),)

    @override
    def read(
        self, memories: Memories, words: NDArray[np.int32], beside: SourceVectors
    ) -> tuple[NDArray[np.float32], Memories]:
        words, of = np.ascontiguousarray(words), np.ascontiguousarray(beside.of, np.int32)
        after = self._reader.read(memories[0][0], words, beside.vectors, of)
        return np.column_stack([after[:, -self._dim :], beside.vectors[of]]), ((after,),)
