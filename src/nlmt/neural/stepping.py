"""Neural models word by word, many sentences side by side (`nlmt.lm.protocol.Stepper`)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlmt.lm.context_stepper import Contexts, ContextStepper
from nlmt.lm.protocol import SourcePositions
from nlmt.neural.data import BEGIN_ID, END_ID
from nlmt.neural.scoring import Scorer
from nlmt.neural.sentence_scoring import SentenceScorer, States


class NgramStepper(ContextStepper):
    """A feed-forward model."""

    def __init__(self, scorer: Scorer, order: int, *, normalised: bool) -> None:
        super().__init__(order, BEGIN_ID, END_ID)
        self._scorer = scorer
        self._normalised = normalised

    def score(
        self,
        states: Contexts,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> NDArray[np.float64]:
        """See `Stepper`; equal contexts and equal n-grams are evaluated once."""
        requests = self._scorer.gather_ngrams(states[rows], words, source)
        return self._scorer.score(requests, normalised=self._normalised)[requests.of]


class SentenceStepper:
    """A model that reads sentences from their beginning."""

    end = END_ID

    def __init__(self, scorer: SentenceScorer, *, normalised: bool) -> None:
        self._scorer = scorer
        self._normalised = normalised

    def start(self, n: int) -> States:
        """See `Stepper`."""
        return self._scorer.start(n)

    def take(self, states: States, rows: NDArray[np.int64]) -> States:
        """See `Stepper`."""
        return states.take(rows)

    def join(self, parts: Sequence[States]) -> States:
        """See `Stepper`."""
        return parts[0].join(parts) if len(parts) > 1 else parts[0]

    def score(
        self,
        states: States,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> NDArray[np.float64]:
        """See `Stepper`."""
        return self._scorer.score_after(states, rows, words, source, normalised=self._normalised)

    def advance(
        self,
        states: States,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> States:
        """See `Stepper`."""
        return self._scorer.advance(states, rows, words, source)
