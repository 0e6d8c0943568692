"""Counts of the requests to a language model, and the protocol of models that count them."""

from dataclasses import astuple, dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nlmt.lm.protocol import ScoringStatistics, SourcePositions


@runtime_checkable
class CountingModel(Protocol):
    """A language model that counts its requests."""

    def score_sentences_with_statistics(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        source: SourcePositions | None = None,
    ) -> tuple[NDArray[np.float64], ScoringStatistics]:
        """Scores as of `score_sentences` or `score_sentences_given`, and the counts of the call."""
        ...


@dataclass(frozen=True)
class RequestCounts:
    """Requests of a list; `distinct` means distinct within each block of the list.

    Attributes:
        hypotheses: lines of the list that were scored.
        sentences: distinct hypotheses as the model sees them, with all unknown words equal.
        known: those of them whose scores another list had, so that the model was not asked.
        requests: words of all hypotheses, each with its `</s>`.
        ngrams: distinct n-grams requested from the model; None for one without an order.
        contexts: distinct contexts of these.
        unknown: words of all hypotheses that the model does not know.
        seconds: wall time in the model, without reading and writing.
    """

    hypotheses: int = 0
    sentences: int = 0
    known: int = 0
    requests: int = 0
    ngrams: int | None = None
    contexts: int | None = None
    unknown: int = 0
    seconds: float = 0.0

    def __add__(self, other: "RequestCounts") -> "RequestCounts":
        """The sum of the counts of two blocks."""
        both = zip(astuple(self), astuple(other), strict=True)
        return RequestCounts(*(b if a is None else a if b is None else a + b for a, b in both))

    def __str__(self) -> str:
        """One line for the terminal."""
        grams = (
            ""
            if self.ngrams is None
            else f"{self.ngrams:,} distinct n-grams, {self.contexts:,} distinct contexts, "
        )
        elsewhere = f"{self.known:,} of them known, " if self.known else ""
        words = self.requests - self.hypotheses
        share = 100 * self.unknown / max(words, 1)
        return (
            f"{self.hypotheses:,} hypotheses, {self.sentences:,} distinct, {elsewhere}"
            f"{words:,} words, {self.unknown:,} of them out of vocabulary ({share:.1f} %), "
            f"{self.requests:,} requests, {grams}{self.seconds:.1f} s"
        )
