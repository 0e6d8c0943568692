"""Step-by-step scoring with an n-gram model, many sentences in parallel."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.lm.context_stepper import Contexts, ContextStepper
from nlmt.lm.protocol import SourcePositions

# Pads contexts before the first word; not the id of a word.
BEGIN_ID = -1


class QueryStepper(ContextStepper):
    """Steps of a model that is queried for n-grams, once for equal ones."""

    def __init__(
        self, order: int, end: int, query: Callable[[Contexts], NDArray[np.float64]]
    ) -> None:
        """Create a stepper.

        Args:
            order: of the model.
            end: id of `</s>`.
            query: natural-log probability (n,) of the last word of each of n-grams (n, order),
                which are distinct and sorted.
        """
        super().__init__(order, BEGIN_ID, end)
        self._query = query

    @override
    def score(
        self,
        states: Contexts,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePositions | None = None,
    ) -> NDArray[np.float64]:
        ngrams = np.column_stack([states[rows], words])
        # Bytes that sort like the numbers: sorting rows of numbers is many times slower.
        keys = np.ascontiguousarray(ngrams + 1, ">u4").view(f"V{4 * ngrams.shape[1]}").ravel()
        _, first, of = np.unique(keys, return_index=True, return_inverse=True)
        return self._query(ngrams[first])[of]
