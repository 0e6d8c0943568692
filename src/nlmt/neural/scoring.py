"""Log-probabilities of many n-grams: equal ones evaluated once, equal contexts evaluated once."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlmt.lm.protocol import SourcePositions
from nlmt.neural import _kernel
from nlmt.neural.config import Architecture
from nlmt.neural.data import BEGIN_ID, END_ID, as_stream
from nlmt.neural.parameters import Parameters
from nlmt.neural.short_list import ShortList
from nlmt.neural.source_vectors import Beside, SourceVectors
from nlmt.neural.structure import Structure

# Contexts whose hidden vectors are in memory at the same time.
BATCH = 16384

# Of contexts (n, positions) and the vectors (n, numbers) beside them.
Hidden = Callable[[NDArray[np.int32], NDArray[np.float32]], NDArray[np.float32]]


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


Gathered = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Requests:
    """N-grams, grouped by context.

    Attributes:
        contexts: (C, positions) distinct, or with another vector beside them, the oldest word
            first; behind the words of the n-gram those of a window of the source, if there is one.
        beside: of each context.
        starts: (C + 1,); the words asked for after context i are words[starts[i]:starts[i + 1]].
        words: (G,) distinct for a context.
        of: (R,) place in `words` of each n-gram that was asked for.
    """

    contexts: NDArray[np.int32]
    beside: Beside
    starts: NDArray[np.int64]
    words: NDArray[np.int32]
    of: NDArray[np.int64]

    @classmethod
    def of_words(cls, gathered: Gathered) -> "Requests":
        """Those of the kernel, without a vector."""
        return cls(gathered[0], Beside.nothing(len(gathered[0])), *gathered[1:])

    @classmethod
    def numbered(cls, gathered: Gathered, vectors: NDArray[np.float32]) -> "Requests":
        """Those of the kernel whose contexts end with the number of a vector."""
        contexts, numbers = gathered[0][:, :-1], gathered[0][:, -1]
        return cls(np.ascontiguousarray(contexts), Beside(vectors, numbers), *gathered[1:])


class EventScorer(Protocol):
    """Scores of the words of sentences."""

    def events(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        source: SourcePositions | None = None,
        *,
        normalised: bool = True,
    ) -> tuple[NDArray[np.float64], ScoringStatistics]:
        """Natural-log probability of each word and `</s>`; see `LanguageModel.score_sentences`.

        A model with a source takes the places of these words and ends there. Without `normalised`
        it is the score before it is divided by the normaliser.
        """
        ...


class Scorer:
    """Hidden vectors, then the compiled output layer, in batches of contexts."""

    def __init__(
        self,
        architecture: Architecture,
        structure: Structure,
        hidden: Hidden,
        output: _kernel.Output32,
        threads: int,
        vectors: SourceVectors | None = None,
    ) -> None:
        self._vectors = vectors
        self._hidden = hidden
        self._output = output
        self._context = architecture.context
        self._side = architecture.source_window
        self._words = structure.words
        self._threads = threads

    def events(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        source: SourcePositions | None = None,
        *,
        normalised: bool = True,
    ) -> tuple[NDArray[np.float64], ScoringStatistics]:
        """See `EventScorer`: of the n-grams of the sentences."""
        return self.score_with_statistics(
            lambda: self._gather(ids, offsets, source), normalised=normalised
        )

    def _gather(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], source: SourcePositions | None
    ) -> Requests:
        """The n-grams of sentences; with a source equal ones have equal words there too."""
        text = np.ascontiguousarray(ids, np.int32), np.ascontiguousarray(offsets, np.int64)
        context, marks = self._context, (BEGIN_ID, END_ID)
        if source is None:
            return Requests.of_words(_kernel.gather_sentences(*text, context, *marks))
        if self._vectors is not None:
            beside = self._vectors.beside(source)
            gathered = _kernel.gather_numbered(*text, context, beside.of, *marks)
            return Requests.numbered(gathered, beside.vectors)
        stream, events = as_stream(source)
        return Requests.of_words(
            _kernel.gather_given(*text, context, stream, events, self._side, *marks, self._words)
        )

    def gather_ngrams(
        self,
        contexts: NDArray[np.int32],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> Requests:
        """The n-grams of contexts (n, order - 1), words (n,) and, if given, their places."""
        if source is not None and self._vectors is not None:
            beside = self._vectors.beside(source)
            rows = np.column_stack([contexts, beside.of, words]).astype(np.int32, order="C")
            return Requests.numbered(_kernel.gather_ngrams(rows), beside.vectors)
        around = contexts[:, :0]
        if source is not None:
            places = as_stream(source)
            around = _kernel.source_windows(*places, self._side, BEGIN_ID, END_ID, self._words)
        rows = np.column_stack([contexts, around, words]).astype(np.int32, order="C")
        return Requests.of_words(_kernel.gather_ngrams(rows))

    def score(self, requests: Requests, *, normalised: bool = True) -> NDArray[np.float64]:
        """Natural-log probability (G,) of each of the distinct n-grams.

        Without `normalised` it is the score before it is divided by the normaliser, which costs
        less; a model of objective `nce` or `self-normalised` is made for that.
        """
        result = np.empty(len(requests.words), dtype=np.float64)
        for begin in range(0, len(requests.contexts), BATCH):
            contexts = requests.contexts[begin : begin + BATCH]
            beside = requests.beside.vectors[requests.beside.of[begin : begin + BATCH]]
            starts = requests.starts[begin : begin + len(contexts) + 1]
            first, last = int(starts[0]), int(starts[-1])
            words = requests.words[first:last]
            result[first:last] = self._output.score(
                self._hidden(contexts, beside), starts - first, words, normalised, self._threads
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
        architecture: Architecture,
        structure: ShortList,
        hidden: Hidden,
        output: _kernel.Output32,
        threads: int,
        vectors: SourceVectors | None = None,
    ) -> None:
        super().__init__(architecture, structure, hidden, output, threads, vectors)
        self._structure = structure

    def score(self, requests: Requests, *, normalised: bool = True) -> NDArray[np.float64]:
        """See `Scorer`."""

        def listed(own: NDArray[np.bool_]) -> NDArray[np.float64]:
            starts = np.concatenate([[0], np.cumsum(own)])[requests.starts]
            chosen = replace(requests, starts=starts, words=requests.words[own])
            return super(ShortListScorer, self).score(chosen, normalised=normalised)

        context = np.repeat(np.arange(len(requests.contexts)), np.diff(requests.starts))
        histories = np.ascontiguousarray(requests.contexts[:, : self._context])
        return self._structure.score(histories, context, requests.words, listed)


def scorer_for(
    architecture: Architecture,
    structure: Structure,
    hidden: Hidden,
    output: _kernel.Output32,
    threads: int,
    vectors: SourceVectors | None,
) -> Scorer:
    """The scorer of hidden vectors and an output layer that stands on a structure."""
    if isinstance(structure, ShortList):
        return ShortListScorer(architecture, structure, hidden, output, threads, vectors)
    return Scorer(architecture, structure, hidden, output, threads, vectors)


def compiled_input(architecture: Architecture, parameters: Parameters) -> _kernel.Input32:
    """The compiled input side with these parameters."""
    layer = _kernel.Input32(
        len(parameters["embeddings"]),
        architecture.positions,
        architecture.dim,
        architecture.beside,
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
    return name in ("embeddings", "context", "source_weight") or name.startswith("hidden.")


def as_rows(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Values as the kernel holds them: a bias is one row, matrices stand one below the other."""
    return values[None, :] if values.ndim == 1 else values.reshape(-1, values.shape[-1])


def make_scorer(
    architecture: Architecture,
    structure: Structure,
    parameters: Parameters,
    threads: int,
    vectors: SourceVectors | None = None,
) -> Scorer:
    """The scorer of a feed-forward model."""
    layer = compiled_input(architecture, parameters)
    output = compiled_output(architecture, structure, parameters)

    def hidden(contexts: NDArray[np.int32], beside: NDArray[np.float32]) -> NDArray[np.float32]:
        return layer.hidden(contexts, beside, threads)

    return scorer_for(architecture, structure, hidden, output, threads, vectors)
