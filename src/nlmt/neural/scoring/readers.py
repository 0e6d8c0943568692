"""Readers of sentences word by word: the compiled recurrent network, or a transformer in torch."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.neural import _kernel
from nlmt.neural.data.source_vectors import SourceVectors
from nlmt.neural.data.tensors import Parameters
from nlmt.neural.keys.architecture import Architecture
from nlmt.neural.outputs.registry import OutputLayout
from nlmt.neural.scoring.compiled_layers import compiled_recurrent
from nlmt.neural.scoring.output_scorer import DirectOutput
from nlmt.registry import Registry

# The layers' memories, as arrays of a kind that the reader knows.
Memories = tuple[tuple[Any, ...], ...]
# The memories outside the model: `Prefixes`, or arrays of numpy.
MemoryArrays = tuple[tuple[Any, ...], ...]


class Reader(Protocol):
    """A network and its output layer, for n sentences side by side."""

    def empty(self, n: int) -> Memories:
        """The memories before `<s>`."""
        ...

    def take(self, memories: Memories, rows: NDArray[np.int64]) -> Memories:
        """Some of the rows."""
        ...

    def read(
        self, memories: Memories, words: NDArray[np.int32], beside: SourceVectors
    ) -> tuple[Any, Memories]:
        """Input of the output layer after words (n,) with vectors beside them; the memories."""
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
        """Scores of words, each after row `of`, which never falls, of `seen`.

        `histories` are the last words, one row for each of `seen`.
        """
        ...

    def to_arrays(self, memories: Memories) -> MemoryArrays:
        """The memories as arrays that can leave the model."""
        ...

    def from_arrays(self, memories: MemoryArrays) -> Memories:
        """The inverse of `to_arrays`."""
        ...


class MakeReader(Protocol):
    """Makes a reader."""

    def __call__(
        self, architecture: Architecture, layout: OutputLayout, parameters: Parameters, threads: int
    ) -> Reader:
        """The reader of a model with these parameters."""
        ...


class CompiledReader(Reader):
    """The compiled recurrent network; a score does not depend on what else is read at once.

    The memories of all layers are one array, which ends with the last layer's output.
    """

    def __init__(
        self, architecture: Architecture, layout: OutputLayout, parameters: Parameters, threads: int
    ) -> None:
        self._dim, self._threads = architecture.dim, threads
        self._output = DirectOutput(architecture, layout, parameters)
        network = compiled_recurrent(architecture, layout, parameters)
        self._reader = _kernel.RecurrentReader32(network, threads)
        self._size = self._reader.state_size

    @override
    def empty(self, n: int) -> Memories:
        return ((np.zeros((n, self._size), dtype=np.float32),),)

    @override
    def take(self, memories: Memories, rows: NDArray[np.int64]) -> Memories:
        return ((memories[0][0][rows],),)

    @override
    def read(
        self, memories: Memories, words: NDArray[np.int32], beside: SourceVectors
    ) -> tuple[NDArray[np.float32], Memories]:
        words, of = np.ascontiguousarray(words), np.ascontiguousarray(beside.of, np.int32)
        after = self._reader.read(memories[0][0], words, beside.vectors, of)
        return np.column_stack([after[:, -self._dim :], beside.vectors[of]]), ((after,),)

    @override
    def score(
        self,
        seen: Sequence[NDArray[np.float32]],
        histories: NDArray[np.int32],
        of: NDArray[np.int64],
        words: NDArray[np.int32],
        *,
        normalised: bool,
    ) -> NDArray[np.float64]:
        rows = np.concatenate(seen)
        return self._output.score(
            rows, histories, of, words, normalised=normalised, threads=self._threads
        )

    @override
    def to_arrays(self, memories: Memories) -> MemoryArrays:
        return memories

    @override
    def from_arrays(self, memories: MemoryArrays) -> Memories:
        return memories


# torch takes seconds to load: its reader is imported only where it is needed.
_READERS: Registry[MakeReader] = Registry(
    "reader",
    {
        "recurrent": CompiledReader,
        "transformer": "nlmt.neural.torch_backend.reader:TorchReader",
    },
)


def make_reader(
    architecture: Architecture, layout: OutputLayout, parameters: Parameters, threads: int
) -> Reader:
    """The reader of a network over sentences."""
    kind = "transformer" if architecture.network == "transformer" else "recurrent"
    return _READERS.get(kind)(architecture, layout, parameters, threads)
