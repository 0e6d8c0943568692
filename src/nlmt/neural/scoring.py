"""Log-probabilities of many n-grams: equal ones evaluated once, equal contexts evaluated once."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmt.neural import _kernel
from nlmt.neural.config import Architecture
from nlmt.neural.parameters import Parameters
from nlmt.neural.word_classes import WordClasses

# Contexts whose hidden vectors are in memory at the same time.
BATCH = 16384
INPUT_PARTS = ("embeddings", "context")

Hidden = Callable[[NDArray[np.int32]], NDArray[np.float32]]


@dataclass(frozen=True)
class ScoringStatistics:
    """What one call did.

    Attributes:
        requests: n-grams asked for.
        distinct_ngrams: different ones among them; each was evaluated once.
        distinct_contexts: different contexts; the class layer was evaluated once for each.
        seconds: wall time.
    """

    requests: int
    distinct_ngrams: int
    distinct_contexts: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Requests:
    """N-grams, grouped by context.

    Attributes:
        contexts: (C, order - 1) distinct, the oldest word first.
        starts: (C + 1,); the words asked for after context i are words[starts[i]:starts[i + 1]].
        words: (G,) distinct for a context.
        of: (R,) place in `words` of each n-gram that was asked for.
    """

    contexts: NDArray[np.int32]
    starts: NDArray[np.int64]
    words: NDArray[np.int32]
    of: NDArray[np.int64]


class Scorer:
    """Hidden vectors from anywhere, then the compiled output layer, in batches of contexts."""

    def __init__(self, hidden: Hidden, output: _kernel.Network32, threads: int) -> None:
        self._hidden = hidden
        self._output = output
        self._threads = threads

    def score(self, requests: Requests) -> NDArray[np.float64]:
        """Natural-log probability (G,) of each of the distinct n-grams."""
        result = np.empty(len(requests.words), dtype=np.float64)
        for begin in range(0, len(requests.contexts), BATCH):
            contexts = requests.contexts[begin : begin + BATCH]
            starts = requests.starts[begin : begin + len(contexts) + 1]
            first, last = int(starts[0]), int(starts[-1])
            result[first:last] = self._output.score(
                self._hidden(contexts), starts - first, requests.words[first:last], self._threads
            )
        return result

    def score_with_statistics(
        self, gathered: Callable[[], Requests]
    ) -> tuple[NDArray[np.float64], ScoringStatistics]:
        """Natural-log probability (R,) of each request, and what it took to get them."""
        begin = time.perf_counter()
        requests = gathered()
        scores = self.score(requests)[requests.of]
        return scores, ScoringStatistics(
            len(requests.of),
            len(requests.words),
            len(requests.contexts),
            time.perf_counter() - begin,
        )


def kernel_network(
    architecture: Architecture, classes: WordClasses, parameters: Parameters, *, with_input: bool
) -> _kernel.Network32:
    """The compiled network with these parameters, or its output layer alone.

    The full output is the class layer of one word a class.
    """
    full = architecture.output == "full"
    network = _kernel.Network32(
        np.arange(len(classes.of), dtype=np.int32) if full else classes.of,
        len(classes.of) if full else classes.count,
        architecture.context,
        architecture.hidden_dim,
        architecture.activation,
        with_input,
    )
    for name, values in kernel_parts(architecture, parameters, with_input=with_input).items():
        network.set(name, values)
    return network


def kernel_parts(
    architecture: Architecture, parameters: Parameters, *, with_input: bool
) -> Parameters:
    """Parameters under the kernel's names, biases as rows."""
    names = list(INPUT_PARTS) if with_input else []
    layers = ["output"] if architecture.output == "full" else ["class", "word"]
    result = {name: parameters[name] for name in names}
    for layer in layers:
        inside = "class" if layer == "output" else layer
        result[f"{inside}_weight"] = parameters[f"{layer}_weight"]
        result[f"{inside}_bias"] = parameters[f"{layer}_bias"][None, :]
    return result


def kernel_covers(architecture: Architecture) -> bool:
    """Whether the compiled kernel has every part of the architecture."""
    return architecture.projection == "diagonal" and not architecture.hidden


def make_scorer(
    architecture: Architecture, classes: WordClasses, parameters: Parameters, threads: int
) -> Scorer:
    """The scorer of a model: compiled as far as the kernel has the parts."""
    if kernel_covers(architecture):
        whole = kernel_network(architecture, classes, parameters, with_input=True)
        return Scorer(lambda contexts: whole.hidden(contexts, threads), whole, threads)
    # torch takes seconds to load: only where it is needed.
    from nlmt.neural.network import Network

    network = Network(architecture, classes)
    network.load_parameters(parameters)
    output = kernel_network(architecture, classes, parameters, with_input=False)
    return Scorer(network.hidden_arrays, output, threads)


def gather_sentences(
    ids: NDArray[np.int32], offsets: NDArray[np.int64], context: int, begin: int, end: int
) -> Requests:
    """The n-grams of sentences, `begin` repeated to the left and `end` as the last word."""
    return Requests(
        *_kernel.gather_sentences(
            np.ascontiguousarray(ids, np.int32),
            np.ascontiguousarray(offsets, np.int64),
            context,
            begin,
            end,
        )
    )


def gather_ngrams(contexts: NDArray[np.int32], words: NDArray[np.int32]) -> Requests:
    """The n-grams that are given: contexts (n, order - 1) and words (n,)."""
    rows = np.column_stack([contexts, words]).astype(np.int32, order="C")
    return Requests(*_kernel.gather_ngrams(rows))
