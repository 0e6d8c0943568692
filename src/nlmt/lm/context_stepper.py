"""Models of n-grams word by word (`nlmt.lm.protocol.Stepper`): all but the scores."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlmt.lm.protocol import SourcePositions

Contexts = NDArray[np.int32]


class ContextStepper(ABC):
    """States are the last words (n, order - 1), the oldest first, filled up from the left.

    Attributes:
        end: id of `</s>`.
    """

    def __init__(self, order: int, begin: int, end: int) -> None:
        """For a model of some order; `begin` fills up, `end` is `</s>`."""
        self.end = end
        self._begin = begin
        self._context = order - 1

    def start(self, n: int) -> Contexts:
        """See `Stepper`."""
        return np.full((n, self._context), self._begin, np.int32)

    def take(self, states: Contexts, rows: NDArray[np.int64]) -> Contexts:
        """See `Stepper`."""
        return states[rows]

    def join(self, parts: Sequence[Contexts]) -> Contexts:
        """See `Stepper`."""
        return np.concatenate(parts)

    def advance(
        self,
        states: Contexts,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> Contexts:
        """See `Stepper`."""
        return np.column_stack([states[rows], words])[:, 1:]

    @abstractmethod
    def score(
        self,
        states: Contexts,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> NDArray[np.float64]:
        """See `Stepper`."""
