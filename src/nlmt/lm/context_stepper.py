"""Step-by-step scoring with n-gram models: everything but the scores."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.lm.protocol import SourcePositions, Stepper

Contexts = NDArray[np.int32]


class ContextStepper(Stepper[Contexts]):
    """Steps whose states are the last words (n, order - 1), oldest first, padded on the left."""

    def __init__(self, order: int, begin: int, end: int) -> None:
        """Set up the stepper of a model of this order.

        Contexts are padded with `begin` at the beginning of a sentence.
        """
        self._begin, self._end = begin, end
        self._context = order - 1

    @property
    @override
    def end(self) -> int:
        return self._end

    @override
    def start(self, n: int) -> Contexts:
        return np.full((n, self._context), self._begin, np.int32)

    @override
    def take(self, states: Contexts, rows: NDArray[np.int64]) -> Contexts:
        return states[rows]

    @override
    def join(self, parts: Sequence[Contexts]) -> Contexts:
        return np.concatenate(parts)

    @override
    def advance(
        self,
        states: Contexts,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> Contexts:
        return np.column_stack([states[rows], words])[:, 1:]
