"""Step-by-step scoring with n-gram models of any kind."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.lm.protocol import SourcePositions, Stepper

Contexts = NDArray[np.int32]
# Natural-log probability (n,) of words (n,) after contexts (n, order - 1), with their positions in
# the source for a model that is conditioned on it.
Score = Callable[[Contexts, NDArray[np.int32], SourcePositions | None], NDArray[np.float64]]


class ContextStepper(Stepper[Contexts]):
    """Steps whose states are the last words (n, order - 1), oldest first, padded on the left."""

    def __init__(
        self, order: int, begin: int, end: int, score: Score, ids: NDArray[np.int32] | None = None
    ) -> None:
        """Step with a model.

        Args:
            order: of the model.
            begin: pads contexts where a sentence begins.
            end: id of `</s>`.
            score: of words after contexts.
            ids: (V,) that contexts have for each word, such as its class; None: its own.
        """
        self._begin, self._end = begin, end
        self._context, self._score, self._ids = order - 1, score, ids

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
        ids = words if self._ids is None else self._ids[words]
        return np.column_stack([states[rows], ids])[:, 1:]

    @override
    def score(
        self,
        states: Contexts,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> NDArray[np.float64]:
        return self._score(states[rows], words, source)
