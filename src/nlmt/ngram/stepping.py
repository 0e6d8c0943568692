"""An n-gram model word by word, many sentences side by side (`nlmt.language_model.Stepper`)."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from nlmt.language_model import SourcePlaces

Contexts = NDArray[np.int32]

# Before the first word: no id of a word.
BEGIN = -1


class ContextStepper:
    """States are the last words (n, order - 1), the oldest first; `BEGIN` fills up from the left.

    Equal n-grams are asked for once.
    """

    def __init__(
        self, order: int, end: int, query: Callable[[Contexts], NDArray[np.float64]]
    ) -> None:
        """Put a stepper together.

        Args:
            order: of the model.
            end: id of `</s>`.
            query: natural-log probability (n,) of the last word of each of n-grams (n, order), all
                of them different and in order.
        """
        self.end = end
        self._context = order - 1
        self._query = query

    def start(self, n: int) -> Contexts:
        """See `Stepper`."""
        return np.full((n, self._context), BEGIN, np.int32)

    def take(self, states: Contexts, rows: NDArray[np.int64]) -> Contexts:
        """See `Stepper`."""
        return states[rows]

    def join(self, parts: Sequence[Contexts]) -> Contexts:
        """See `Stepper`."""
        return np.concatenate(parts)

    def score(
        self,
        states: Contexts,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePlaces | None = None,
    ) -> NDArray[np.float64]:
        """See `Stepper`."""
        ngrams = np.column_stack([states[rows], words])
        # Bytes that sort as the numbers do: sorting rows of numbers is many times slower.
        keys = np.ascontiguousarray(ngrams + 1, ">u4").view(f"V{4 * ngrams.shape[1]}").ravel()
        _, first, of = np.unique(keys, return_index=True, return_inverse=True)
        return self._query(ngrams[first])[of]

    def advance(
        self,
        states: Contexts,
        rows: NDArray[np.int64],
        words: NDArray[np.int32],
        source: SourcePlaces | None = None,
    ) -> Contexts:
        """See `Stepper`."""
        return np.column_stack([states[rows], words])[:, 1:]
