"""What reads sentences word by word: the compiled recurrent network, or torch."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nlmt.neural import _kernel
from nlmt.neural.compiled_layers import RecurrentLayers
from nlmt.neural.config import Architecture
from nlmt.neural.parameters import Parameters
from nlmt.neural.structure import Structure

# What the layers remember, as arrays of a kind that the reader knows.
Memories = tuple[tuple[Any, ...], ...]
Arrays = tuple[tuple[NDArray[np.float32], ...], ...]


class Reader(Protocol):
    """A network and its output layer, for n sentences side by side."""

    def empty(self, n: int) -> Memories:
        """Before `<s>`."""
        ...

    def take(self, memories: Memories, rows: NDArray[np.int64]) -> Memories:
        """Some of the rows."""
        ...

    def read(
        self, memories: Memories, words: NDArray[np.int32], beside: NDArray[np.float32]
    ) -> tuple[Any, Memories]:
        """What the output layer sees after words (n,) with vectors (n, numbers); the memories."""
        ...

    def score(
        self,
        seen: Sequence[Any],
        histories: NDArray[np.int32],
        of: NDArray[np.int64],
        words: NDArray[np.int32],
        *,
        normalised: bool,
    ) -> NDArray[np.float64]:
        """Scores of words, each after row `of`, which never falls, of what was seen.

        `histories` are the last words, a row for each of `seen` one after the other.
        """
        ...

    def to_arrays(self, memories: Memories) -> Arrays:
        """As they leave the model."""
        ...

    def from_arrays(self, memories: Arrays) -> Memories:
        """As they came from it."""
        ...


class CompiledReader:
    """The compiled recurrent network; a score does not depend on what is read beside it.

    What all layers remember stands in one array, and what the last one gives at its end.
    """

    def __init__(
        self, architecture: Architecture, structure: Structure, parameters: Parameters, threads: int
    ) -> None:
        self._dim, self._threads = architecture.dim, threads
        self._layers = RecurrentLayers(architecture, structure, parameters)
        self._reader = _kernel.RecurrentReader32(self._layers.network, threads)
        self._size = self._reader.state_size

    def empty(self, n: int) -> Memories:
        """See `Reader`."""
        return ((np.zeros((n, self._size), dtype=np.float32),),)

    def take(self, memories: Memories, rows: NDArray[np.int64]) -> Memories:
        """See `Reader`."""
        return ((memories[0][0][rows],),)

    def read(
        self, memories: Memories, words: NDArray[np.int32], beside: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], Memories]:
        """See `Reader`."""
        after = self._reader.read(memories[0][0], np.ascontiguousarray(words), beside)
        return np.column_stack([after[:, -self._dim :], beside]), ((after,),)

    def score(
        self,
        seen: Sequence[NDArray[np.float32]],
        histories: NDArray[np.int32],
        of: NDArray[np.int64],
        words: NDArray[np.int32],
        *,
        normalised: bool,
    ) -> NDArray[np.float64]:
        """See `Reader`."""
        rows = np.concatenate(seen)
        return self._layers.score(
            rows, histories, of, words, normalised=normalised, threads=self._threads
        )

    def to_arrays(self, memories: Memories) -> Arrays:
        """See `Reader`."""
        return memories

    def from_arrays(self, memories: Arrays) -> Memories:
        """See `Reader`."""
        return memories


def make_reader(
    architecture: Architecture, structure: Structure, parameters: Parameters, threads: int
) -> Reader:
    """The reader of a network over sentences."""
    if architecture.network != "transformer":
        return CompiledReader(architecture, structure, parameters, threads)
    # torch takes seconds to load: only where it is needed.
    from nlmt.neural.torch_reader import TorchReader

    return TorchReader(architecture, structure, parameters, threads)
