"""Log-probabilities of many n-grams: equal ones evaluated once, equal contexts evaluated once."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlmt.neural import _kernel
from nlmt.neural.config import Architecture
from nlmt.neural.data import BEGIN_ID, END_ID
from nlmt.neural.parameters import Parameters
from nlmt.neural.short_list import ShortList
from nlmt.neural.structure import Structure

# Contexts whose hidden vectors are in memory at the same time.
BATCH = 16384

Hidden = Callable[[NDArray[np.int32]], NDArray[np.float32]]


@dataclass(frozen=True)
class ScoringStatistics:
    """What one call did.

    Attributes:
        requests: n-grams asked for.
        distinct_ngrams: different ones among them; each was evaluated once.
        distinct_contexts: different contexts; the hidden layers were evaluated once for each.
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


class EventScorer(Protocol):
    """Scores of the words of sentences."""

    def events(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], *, normalised: bool = True
    ) -> tuple[NDArray[np.float64], ScoringStatistics]:
        """Natural-log probability of each word and `</s>`; see `LanguageModel.score_sentences`.

        Without `normalised` it is the score before it is divided by the normaliser.
        """
        ...


class Scorer:
    """Hidden vectors, then the compiled output layer, in batches of contexts."""

    def __init__(
        self, hidden: Hidden, output: _kernel.Output32, context: int, threads: int
    ) -> None:
        self._hidden = hidden
        self._output = output
        self._context = context
        self._threads = threads

    def events(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], *, normalised: bool = True
    ) -> tuple[NDArray[np.float64], ScoringStatistics]:
        """See `EventScorer`: of the n-grams of the sentences."""
        return self.score_with_statistics(
            lambda: gather_sentences(ids, offsets, self._context, BEGIN_ID, END_ID),
            normalised=normalised,
        )

    def score(self, requests: Requests, *, normalised: bool = True) -> NDArray[np.float64]:
        """Natural-log probability (G,) of each of the distinct n-grams.

        Without `normalised` it is the score before it is divided by the normaliser, which costs
        less; a model of objective `nce` or `self-normalised` is made for that.
        """
        result = np.empty(len(requests.words), dtype=np.float64)
        for begin in range(0, len(requests.contexts), BATCH):
            contexts = requests.contexts[begin : begin + BATCH]
            starts = requests.starts[begin : begin + len(contexts) + 1]
            first, last = int(starts[0]), int(starts[-1])
            words = requests.words[first:last]
            result[first:last] = self._output.score(
                self._hidden(contexts), starts - first, words, normalised, self._threads
            )
        return result

    def score_with_statistics(
        self, gathered: Callable[[], Requests], *, normalised: bool = True
    ) -> tuple[NDArray[np.float64], ScoringStatistics]:
        """Natural-log probability (R,) of each request, and what it took to get them."""
        begin = time.perf_counter()
        requests = gathered()
        scores = self.score(requests, normalised=normalised)[requests.of]
        return scores, ScoringStatistics(
            len(requests.of),
            len(requests.words),
            len(requests.contexts),
            time.perf_counter() - begin,
        )


class ShortListScorer(Scorer):
    """The output layer for the words of a short-list, a back-off model for the others.

    Schwenk 2010, equation 7.
    """

    def __init__(
        self,
        hidden: Hidden,
        output: _kernel.Output32,
        context: int,
        threads: int,
        structure: ShortList,
    ) -> None:
        super().__init__(hidden, output, context, threads)
        self._structure = structure

    def score(self, requests: Requests, *, normalised: bool = True) -> NDArray[np.float64]:
        """See `Scorer`."""
        structure = self._structure
        context = np.repeat(np.arange(len(requests.contexts)), np.diff(requests.starts))
        listed = structure.place[requests.words] >= 0
        starts = np.concatenate([[0], np.cumsum(listed)])[requests.starts]
        own = Requests(requests.contexts, starts, requests.words[listed], requests.of)
        mass = structure.backoff.find_mass(structure.mass, requests.contexts)
        result = np.empty(len(requests.words))
        result[listed] = super().score(own, normalised=normalised) + np.log(mass)[context[listed]]
        result[~listed] = structure.backoff.log_probabilities(
            requests.contexts[context[~listed]], requests.words[~listed]
        )
        return result


def scorer_for(
    structure: Structure, hidden: Hidden, output: _kernel.Output32, context: int, threads: int
) -> Scorer:
    """The scorer of hidden vectors and an output layer that stands on a structure."""
    if isinstance(structure, ShortList):
        return ShortListScorer(hidden, output, context, threads, structure)
    return Scorer(hidden, output, context, threads)


def compiled_input(architecture: Architecture, parameters: Parameters) -> _kernel.Input32:
    """The compiled input side with these parameters."""
    layer = _kernel.Input32(
        len(parameters["embeddings"]),
        architecture.context,
        architecture.dim,
        architecture.projection,
        architecture.activation,
        list(architecture.hidden),
    )
    for name, values in parameters.items():
        if is_input(name):
            layer.set(name, as_rows(values))
    return layer


def compiled_output(
    architecture: Architecture, structure: Structure, parameters: Parameters
) -> _kernel.Output32:
    """The compiled output layer with these parameters."""
    layer = structure.compiled(architecture.hidden_dim)
    for name, values in parameters.items():
        if not is_input(name):
            layer.set(name, as_rows(values))
    return layer


def is_input(name: str) -> bool:
    """Whether a parameter belongs to the input side."""
    return name in ("embeddings", "context") or name.startswith("hidden.")


def as_rows(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Values as the kernel holds them: a bias is one row, matrices stand one below the other."""
    return values[None, :] if values.ndim == 1 else values.reshape(-1, values.shape[-1])


def make_scorer(
    architecture: Architecture, structure: Structure, parameters: Parameters, threads: int
) -> Scorer:
    """The scorer of a feed-forward model."""
    layer = compiled_input(architecture, parameters)
    output = compiled_output(architecture, structure, parameters)
    return scorer_for(
        structure, lambda c: layer.hidden(c, threads), output, architecture.context, threads
    )


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
