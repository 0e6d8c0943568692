"""The compiled class-factored feed-forward model (cpp/neural), in float and in double.

Parts are named `embeddings` (V, D), `context` (n, D), `class_weight` (K, D), `class_bias` (1, K),
`word_weight` (V, D), `word_bias` (1, V); without word parts (0 rows) where K = V. An array that
does not fit is a ValueError. Results do not depend on the number of threads.
"""

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

_Real = TypeVar("_Real", np.float32, np.float64)

class _Network(Generic[_Real]):
    def __init__(
        self,
        classes: NDArray[np.int32],
        class_count: int,
        context: int,
        dim: int,
        activation: str,
        input: bool,
    ) -> None:
        """Zero parameters; without `input` an output layer alone."""

    def set(self, name: str, values: NDArray[_Real]) -> None: ...
    def get(self, name: str) -> NDArray[_Real]: ...
    def hidden(self, contexts: NDArray[np.int32], threads: int) -> NDArray[_Real]:
        """Hidden vectors (n, D) of contexts (n, context), the oldest word first."""

    def score(
        self,
        hidden: NDArray[_Real],
        starts: NDArray[np.int64],
        words: NDArray[np.int32],
        threads: int,
    ) -> NDArray[np.float64]:
        """Natural-log probability of words[starts[i]:starts[i + 1]] after hidden vector i."""

class _Trainer(Generic[_Real]):
    def __init__(
        self,
        network: _Network[_Real],
        objective: str,
        noise: int,
        counts: NDArray[np.float64],
        optimiser: str,
        dropout: float,
        threads: int,
    ) -> None: ...
    def train(
        self,
        windows: NDArray[np.int32],
        first: int,
        key: int,
        minibatch: int,
        rate: float,
        decline: float,
    ) -> float:
        """One step for each minibatch of windows (n, context + 1); the sum of the loss.

        Row i is example first + i: it draws the random numbers that belong to key and number, and
        a minibatch steps by rate - decline * (number of its first example).
        """

    def set(self, name: str, values: NDArray[_Real]) -> None:
        """Sums of squared gradients, like the network's parts."""

    def get(self, name: str) -> NDArray[_Real]: ...
    def noise(
        self, targets: NDArray[np.int32], first: int, key: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Noise classes and noise words, (n, k) each, that `train` draws for these targets."""

    def dropout(self, examples: int, first: int, key: int) -> NDArray[_Real]:
        """What `train` multiplies the hidden vectors with: (examples, D)."""

class Network32(_Network[np.float32]): ...
class Network64(_Network[np.float64]): ...
class Trainer32(_Trainer[np.float32]): ...
class Trainer64(_Trainer[np.float64]): ...

_Requests = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]

def gather_sentences(
    ids: NDArray[np.int32], offsets: NDArray[np.int64], context: int, begin: int, end: int
) -> _Requests:
    """Distinct contexts (C, context), starts (C + 1,), words (G,), place of each request (R,)."""

def gather_ngrams(ngrams: NDArray[np.int32]) -> _Requests:
    """The same for n-grams (R, order) that are given."""
