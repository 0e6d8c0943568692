"""Log-probabilities of many n-grams: equal ones evaluated once, equal contexts evaluated once."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.lm.context_stepper import ContextStepper
from nlmt.lm.protocol import ScoringStatistics, SourcePositions
from nlmt.neural import _kernel
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.score.scorer import Scorer, Scores
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.source.vectors import SourceEncoder, SourceVectors
from nlmt.neural.text.numbered import BEGIN_ID, END_ID, as_stream

if TYPE_CHECKING:
    from nlmt.neural.score.layers import OutputLayer

# Contexts whose hidden vectors are in memory at once.
BATCH = 16384

# Hidden vectors of contexts (n, positions) with the vectors beside them (n, numbers), in so many
# threads: an array or, for an output layer in torch, a tensor.
HiddenLayers = Callable[[NDArray[np.int32], NDArray[np.float32], int], Any]

Gathered = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Requests:
    """N-grams, grouped by context.

    Attributes:
        contexts: (C, positions) that differ in their words or in the vector beside them, the oldest
            word first; after the n-gram's words those of a window of the source, if there is one.
        source: the vectors beside each context.
        starts: (C + 1,); the words requested after context i are words[starts[i]:starts[i + 1]].
        words: (G,) distinct for a context.
        of: (R,) index in `words` of each requested n-gram.
    """

    contexts: NDArray[np.int32]
    source: SourceVectors
    starts: NDArray[np.int64]
    words: NDArray[np.int32]
    of: NDArray[np.int64]

    @classmethod
    def of_words(cls, gathered: Gathered) -> "Requests":
        """Requests grouped by the kernel, without vectors."""
        return cls(gathered[0], SourceVectors.nothing(len(gathered[0])), *gathered[1:])

    @classmethod
    def numbered(cls, gathered: Gathered, vectors: NDArray[np.float32]) -> "Requests":
        """Requests grouped by the kernel, whose contexts end with the number of a vector."""
        contexts, numbers = gathered[0][:, :-1], gathered[0][:, -1]
        return cls(np.ascontiguousarray(contexts), SourceVectors(vectors, numbers), *gathered[1:])

    @classmethod
    def apart(cls, contexts: NDArray[np.int32], words: NDArray[np.int32]) -> "Requests":
        """Words (n,) after contexts (n, positions), each evaluated although some may be equal."""
        every = np.arange(len(words) + 1, dtype=np.int64)
        nothing = SourceVectors.nothing(len(words))
        return cls(np.ascontiguousarray(contexts), nothing, every, words, every[:-1])

    def ungrouped(self) -> "Requests":
        """The distinct n-grams, each with a context of its own, without vectors."""
        contexts = np.repeat(self.contexts, np.diff(self.starts), axis=0)
        return replace(Requests.apart(contexts, self.words), of=self.of)


class NgramScorer(Scorer):
    """Scores of n-grams, in batches of contexts."""

    def __init__(
        self,
        architecture: Architecture,
        layout: OutputLayout,
        hidden: HiddenLayers,
        output: "OutputLayer",
        threads: int,
        encoder: SourceEncoder | None,
    ) -> None:
        self._encoder = encoder
        self._layout = layout
        self._hidden, self._output = hidden, output
        self._context = architecture.context
        self._side = architecture.source_window
        self._threads = threads

    @override
    def events(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        source: SourcePositions | None = None,
        *,
        normalised: bool = True,
    ) -> Scores:
        return self._scored(self._gather(ids, offsets, source), normalised)

    @override
    def ngrams(
        self,
        contexts: NDArray[np.int32],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
        *,
        normalised: bool = True,
    ) -> Scores:
        return self._scored(self.gather_ngrams(contexts, words, source), normalised)

    @override
    def stepper(self, *, normalised: bool) -> ContextStepper:
        return ContextStepper(
            self._context + 1,
            BEGIN_ID,
            END_ID,
            lambda *requested: self.ngrams(*requested, normalised=normalised)[0],
        )

    def _gather(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64], source: SourcePositions | None
    ) -> Requests:
        """The n-grams of sentences; with a source, equal ones have equal source words too."""
        text = np.ascontiguousarray(ids, np.int32), np.ascontiguousarray(offsets, np.int64)
        context, marks = self._context, (BEGIN_ID, END_ID)
        if source is None:
            return Requests.of_words(_kernel.gather_sentences(*text, context, *marks))
        if self._encoder is not None:
            beside = self._encoder.encode(source)
            gathered = _kernel.gather_numbered(*text, context, beside.of, *marks)
            return Requests.numbered(gathered, beside.vectors)
        stream, events = as_stream(source)
        words = self._layout.words
        return Requests.of_words(
            _kernel.gather_given(*text, context, stream, events, self._side, *marks, words)
        )

    def gather_ngrams(
        self,
        contexts: NDArray[np.int32],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> Requests:
        """The n-grams of contexts (n, order - 1), words (n,) and, if given, their positions."""
        if source is not None and self._encoder is not None:
            beside = self._encoder.encode(source)
            rows = np.column_stack([contexts, beside.of, words]).astype(np.int32, order="C")
            return Requests.numbered(_kernel.gather_ngrams(rows), beside.vectors)
        around = contexts[:, :0]
        if source is not None:
            at = as_stream(source)
            marks = BEGIN_ID, END_ID
            around = _kernel.source_windows(*at, self._side, *marks, self._layout.words)
        rows = np.column_stack([contexts, around, words]).astype(np.int32, order="C")
        return Requests.of_words(_kernel.gather_ngrams(rows))

    def score(self, requests: Requests, *, normalised: bool = True) -> NDArray[np.float64]:
        """Natural-log probability (G,) of each distinct n-gram."""
        if self._layout.predicted is None:
            return self._score_layer(requests, normalised)

        def layer(own: NDArray[np.bool_]) -> NDArray[np.float64]:
            starts = np.concatenate([[0], np.cumsum(own)])[requests.starts]
            chosen = replace(requests, starts=starts, words=requests.words[own])
            return self._score_layer(chosen, normalised)

        context = np.repeat(np.arange(len(requests.contexts)), np.diff(requests.starts))
        histories = np.ascontiguousarray(requests.contexts[:, : self._context])
        return self._layout.complete(histories, context, requests.words, layer)

    def _score_layer(self, requests: Requests, normalised: bool) -> NDArray[np.float64]:
        """Scores of words that the output layer predicts."""
        result = np.empty(len(requests.words), dtype=np.float64)
        for begin in range(0, len(requests.contexts), BATCH):
            contexts = requests.contexts[begin : begin + BATCH]
            beside = requests.source.vectors[requests.source.of[begin : begin + BATCH]]
            starts = requests.starts[begin : begin + len(contexts) + 1]
            first, last = int(starts[0]), int(starts[-1])
            words = requests.words[first:last]
            hidden = self._hidden(contexts, beside, self._threads)
            result[first:last] = self._output.score(
                hidden, starts - first, words, normalised, self._threads
            )
        return result

    def _scored(self, requests: Requests, normalised: bool) -> Scores:
        """Natural-log probability (R,) of each request, and statistics of the call."""
        scores = self.score(requests, normalised=normalised)[requests.of]
        distinct = len(requests.words), len(requests.contexts)
        return scores, ScoringStatistics(len(requests.of), *distinct)
