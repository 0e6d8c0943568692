"""Log-probabilities of many n-grams: equal ones evaluated once, equal contexts evaluated once."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlmt.language_model import SourcePlaces
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
        contexts: (C, positions) distinct, the oldest word first; behind the words of the n-gram,
            where the model has a source, those around it there.
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
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        source: SourcePlaces | None = None,
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
    ) -> None:
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
        source: SourcePlaces | None = None,
        *,
        normalised: bool = True,
    ) -> tuple[NDArray[np.float64], ScoringStatistics]:
        """See `EventScorer`: of the n-grams of the sentences."""
        return self.score_with_statistics(
            lambda: self._gather(ids, offsets, source), normalised=normalised
        )

    def _gather(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], source: SourcePlaces | None
    ) -> Requests:
        """The n-grams of sentences; with a source equal ones have equal words there too."""
        text = np.ascontiguousarray(ids, np.int32), np.ascontiguousarray(offsets, np.int64)
        if source is None:
            return Requests(*_kernel.gather_sentences(*text, self._context, BEGIN_ID, END_ID))
        stream, events = as_stream(source)
        return Requests(
            *_kernel.gather_given(
                *text, self._context, stream, events, self._side, BEGIN_ID, END_ID, self._words
            )
        )

    def given(self, contexts: NDArray[np.int32], source: SourcePlaces) -> NDArray[np.int32]:
        """Contexts (n, order - 1) with the words around n places of the source: (n, positions)."""
        stream, events = as_stream(source)
        windows = _kernel.source_windows(stream, events, self._side, BEGIN_ID, END_ID, self._words)
        return np.concatenate([contexts, windows], axis=1)

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
        architecture: Architecture,
        structure: ShortList,
        hidden: Hidden,
        output: _kernel.Output32,
        threads: int,
    ) -> None:
        super().__init__(architecture, structure, hidden, output, threads)
        self._structure = structure

    def score(self, requests: Requests, *, normalised: bool = True) -> NDArray[np.float64]:
        """See `Scorer`."""

        def listed(own: NDArray[np.bool_]) -> NDArray[np.float64]:
            starts = np.concatenate([[0], np.cumsum(own)])[requests.starts]
            chosen = Requests(requests.contexts, starts, requests.words[own], requests.of)
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
) -> Scorer:
    """The scorer of hidden vectors and an output layer that stands on a structure."""
    if isinstance(structure, ShortList):
        return ShortListScorer(architecture, structure, hidden, output, threads)
    return Scorer(architecture, structure, hidden, output, threads)


def as_stream(source: SourcePlaces) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Source sentences with `</s>` behind each, and the place in them of each word (n,)."""
    stream = np.insert(source.ids, source.offsets[1:], END_ID).astype(np.int32, copy=False)
    begins = source.offsets + np.arange(len(source.offsets))
    position = np.asarray(source.position, np.int64)
    lengths = np.diff(source.offsets)
    if not ((position >= 0) & (position <= lengths[source.of])).all():
        raise ValueError("a place outside of its source sentence")
    return stream, begins[source.of] + position


def compiled_input(architecture: Architecture, parameters: Parameters) -> _kernel.Input32:
    """The compiled input side with these parameters."""
    layer = _kernel.Input32(
        len(parameters["embeddings"]),
        architecture.positions,
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
    return scorer_for(architecture, structure, lambda c: layer.hidden(c, threads), output, threads)


def gather_ngrams(contexts: NDArray[np.int32], words: NDArray[np.int32]) -> Requests:
    """The n-grams that are given: contexts (n, positions) and words (n,)."""
    rows = np.column_stack([contexts, words]).astype(np.int32, order="C")
    return Requests(*_kernel.gather_ngrams(rows))
