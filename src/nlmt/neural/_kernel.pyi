"""The compiled parts of neural models (cpp/neural), in float and in double.

Parameters have the names of `nlmt.neural.parameters`; a bias is one row, and the matrices of the
full projection stand one below the other. An array that does not fit is a ValueError. Results do
not depend on the number of threads.
"""

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

_Real = TypeVar("_Real", np.float32, np.float64)

class _Layer(Generic[_Real]):
    def set(self, name: str, values: NDArray[_Real]) -> None: ...
    def get(self, name: str) -> NDArray[_Real]: ...

class _Input(_Layer[_Real]):
    def __init__(
        self,
        words: int,
        context: int,
        dim: int,
        side: int,
        projection: str,
        activation: str,
        hidden: list[int],
    ) -> None:
        """Embeddings and hidden layers of a feed-forward model, with zero parameters.

        A vector of `side` numbers stands beside the words.
        """

    def hidden(
        self, contexts: NDArray[np.int32], beside: NDArray[_Real], threads: int
    ) -> NDArray[_Real]:
        """Input of the output layer (n, h + side): hidden vectors of contexts, then `beside`.

        Contexts (n, context) have the oldest word first.
        """

class _Output(_Layer[_Real]):
    def score(
        self,
        hidden: NDArray[_Real],
        starts: NDArray[np.int64],
        words: NDArray[np.int32],
        normalised: bool,
        threads: int,
        direct: _Direct[_Real] | None = None,
        histories: NDArray[np.int32] | None = None,
    ) -> NDArray[np.float64]:
        """Natural-log probability of words[starts[i]:starts[i + 1]] after hidden vector i.

        Without `normalised` it is the logit, from which the normaliser is not subtracted. `direct`
        adds the features of the last words `histories` (n, longest).
        """

class Input32(_Input[np.float32]): ...
class Input64(_Input[np.float64]): ...
class Output32(_Output[np.float32]): ...
class Output64(_Output[np.float64]): ...

class ClassOutput32(Output32):
    def __init__(self, classes: NDArray[np.int32], class_count: int, dim: int, flat: bool) -> None:
        """Words in classes (V,), with class_weight, class_bias, word_weight and word_bias.

        In a `flat` layer each class has one word, and words without a row have class -1; its
        parameters are output_weight and output_bias.
        """

class ClassOutput64(Output64):
    def __init__(
        self, classes: NDArray[np.int32], class_count: int, dim: int, flat: bool
    ) -> None: ...

class TreeOutput32(Output32):
    def __init__(
        self,
        starts: NDArray[np.int64],
        nodes: NDArray[np.int32],
        signs: NDArray[np.int8],
        node_count: int,
        dim: int,
    ) -> None:
        """The path of word w is nodes[starts[w]:starts[w + 1]], with signs +1 or -1."""

class TreeOutput64(Output64):
    def __init__(
        self,
        starts: NDArray[np.int64],
        nodes: NDArray[np.int32],
        signs: NDArray[np.int8],
        node_count: int,
        dim: int,
    ) -> None: ...

class _Learner(Generic[_Real]):
    def set(self, state: str, name: str, values: NDArray[_Real]) -> None:
        """Set the optimiser's `squares` or `moments` of a parameter."""

    def get(self, state: str, name: str) -> NDArray[_Real]: ...
    def rehearse(self) -> tuple[int, float, float]:
        """From now on one thread runs all tasks, and counts how long all threads would take.

        Returns, since the last call, rounds of several tasks, seconds of all their tasks, and
        seconds of these rounds on all threads.
        """

class _Trainer(_Learner[_Real]):
    def __init__(
        self,
        input: _Input[_Real],
        output: _Output[_Real],
        objective: str,
        alpha: float,
        noise: int,
        counts: NDArray[np.float64],
        optimiser: str,
        clip: float,
        decay: float,
        dropout: float,
        threads: int,
    ) -> None:
        """Objective: `likelihood`, with alpha (log Z)^2, or `nce`. `decay` is for one example."""

    def train(
        self,
        windows: NDArray[np.int32],
        vectors: NDArray[_Real],
        vector_of: NDArray[np.int32],
        first: int,
        key: int,
        rate: float,
    ) -> float:
        """Take one step on a minibatch of windows (n, context + 1); return the sum of its loss.

        Row i has vectors[vector_of[i]] beside it and is example first + i; `key` and that number
        determine its random numbers.
        """

    def noise(
        self, targets: NDArray[np.int32], first: int, key: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Noise classes and noise words, (n, k) each, that `train` draws for these targets.

        Target i is that of example `first` + i.
        """

    def dropout(self, examples: int, first: int, key: int) -> NDArray[_Real]:
        """Factors (examples, h) by which `train` multiplies the hidden vectors."""

class _Recurrent(_Layer[_Real]):
    def __init__(self, cell: str, words: int, dim: int, side: int, layers: int) -> None:
        """Recurrent layers over words with `side` numbers beside each; zero parameters.

        The cell is `elman`, in one layer, `gru` or `lstm`.
        """

class _RecurrentReader(Generic[_Real]):
    def __init__(self, network: _Recurrent[_Real], threads: int) -> None:
        """Read with the network's present parameters."""

    @property
    def state_size(self) -> int:
        """Numbers in a state: h of each layer, before it c in an LSTM."""

    def read(
        self,
        states: NDArray[_Real],
        words: NDArray[np.int32],
        vectors: NDArray[_Real],
        vector_of: NDArray[np.int32],
    ) -> NDArray[_Real]:
        """The next states (n, size) after states (n, size) and words (n,).

        Row vector_of[i] of `vectors` (r, side) is beside word i; unused where side is 0.
        """

class _PrefixAttention(Generic[_Real]):
    def __init__(self, heads: int, size: int, threads: int) -> None:
        """Attention of `heads` heads, each over keys and values of `size` numbers."""

    def attend(
        self,
        blocks: list[NDArray[_Real]],
        block: NDArray[np.int32],
        row: NDArray[np.int32],
        layer: int,
        queries: NDArray[_Real],
        keys: NDArray[_Real],
        values: NDArray[_Real],
    ) -> NDArray[_Real]:
        """Attention of n last words (n, heads * size) over their sentences, in one layer.

        Their own queries, keys and values are (n, heads * size). `Prefixes` names the words before
        by `block` and `row`; a block has (rows, 2 layers, heads * size) numbers, keys, then values
        of each layer. A row of the result does not depend on the others.
        """

class _Direct(_Layer[_Real]):
    def __init__(self, size: int, rows: int, longest: int) -> None:
        """Direct weights of output rows after contexts of 1 to `longest` words; all zero."""

class Recurrent32(_Recurrent[np.float32]): ...
class Recurrent64(_Recurrent[np.float64]): ...
class RecurrentReader32(_RecurrentReader[np.float32]): ...
class RecurrentReader64(_RecurrentReader[np.float64]): ...
class PrefixAttention32(_PrefixAttention[np.float32]): ...
class PrefixAttention64(_PrefixAttention[np.float64]): ...
class Direct32(_Direct[np.float32]): ...
class Direct64(_Direct[np.float64]): ...

class _RecurrentTrainer(_Learner[_Real]):
    def __init__(
        self,
        network: _Recurrent[_Real],
        output: _Output[_Real],
        direct: _Direct[_Real] | None,
        objective: str,
        alpha: float,
        noise: int,
        counts: NDArray[np.float64],
        optimiser: str,
        clip: float,
        decay: float,
        dropout: float,
        unroll: int,
        threads: int,
    ) -> None:
        """As in `Trainer`; gradients flow back through `unroll` words."""

    def train(
        self,
        words: NDArray[np.int32],
        vectors: NDArray[_Real],
        vector_of: NDArray[np.int32],
        first: int,
        key: int,
        rate: float,
    ) -> float:
        """Take one step on a minibatch; return the sum of its loss.

        Rows of `words` (n, width) are `<s>`, words, `</s>`, then -1. The prediction in column t has
        vectors[vector_of[i, t - 1]] beside it. Examples are numbered from `first`.
        """

class RecurrentTrainer32(_RecurrentTrainer[np.float32]): ...
class RecurrentTrainer64(_RecurrentTrainer[np.float64]): ...
class Trainer32(_Trainer[np.float32]): ...
class Trainer64(_Trainer[np.float64]): ...

_Requests = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]

def gather_sentences(
    ids: NDArray[np.int32], offsets: NDArray[np.int64], context: int, begin: int, end: int
) -> _Requests:
    """Distinct contexts (C, context), starts (C + 1,), words (G,), place of each request (R,)."""

def gather_ngrams(ngrams: NDArray[np.int32]) -> _Requests:
    """As `gather_sentences`, for given n-grams (R, order)."""

def gather_given(
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    context: int,
    stream: NDArray[np.int32],
    events: NDArray[np.int64],
    side: int,
    begin: int,
    end: int,
    shift: int,
) -> _Requests:
    """As `gather_sentences`, with `source_windows` after the history of each context."""

def gather_numbered(
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    context: int,
    numbers: NDArray[np.int32],
    begin: int,
    end: int,
) -> _Requests:
    """As `gather_sentences`, with the number of each word and sentence end after its history."""

def source_vectors(
    kind: str,
    stream: NDArray[np.int32] | NDArray[np.uint16],
    places: NDArray[np.int64],
    side: int,
    table: NDArray[np.float32],
    end: int,
) -> NDArray[np.float32]:
    """Vectors (n, numbers) at places of a stream of sentences; see `TableEncoder.at`."""

def source_windows(
    stream: NDArray[np.int32] | NDArray[np.uint16],
    events: NDArray[np.int64],
    side: int,
    begin: int,
    end: int,
    shift: int,
) -> NDArray[np.int32]:
    """Rows (n, 2 side + 1): the words around events of a stream of sentences, `shift` added."""

def windows(
    stream: NDArray[np.int32] | NDArray[np.uint16],
    events: NDArray[np.int64],
    order: int,
    begin: int,
    end: int,
) -> NDArray[np.int32]:
    """See `NumberedText.windows`; an event outside of the stream is a ValueError."""
