"""Brown clustering, compiled from cpp/classes."""

import numpy as np
from numpy.typing import NDArray

class BrownClasses:
    """Classes of words 0 .. V-1 and the binary tree over them."""

    @property
    def window(self) -> list[int]:
        """(V,) classes as the window of Brown et al. leaves them."""
    @property
    def classes(self) -> list[int]:
        """(V,) final classes 0 .. K-1; each has a word."""
    @property
    def merges(self) -> list[tuple[int, int]]:
        """(K - 1) in order: a class, and the class that is merged into it and then gone."""

def cluster(
    unigram: NDArray[np.int64],
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    count: NDArray[np.int64],
    classes: int,
    refine: bool,
) -> BrownClasses:
    """Cluster the words; the result is the same on every machine and in every run.

    Args:
        unigram: (V + 1,) counts of the words by falling frequency, then of the sentence boundary.
        first: (bigrams,) id of the first word of each distinct bigram, V for the boundary.
        second: (bigrams,) id of its second word.
        count: (bigrams,) how often it occurs.
        classes: K; where it exceeds V, each word is a class.
        refine: let words move to better classes after the window.

    Raises:
        ValueError: no words, `classes` under 1, ids or counts that cannot be.
        OverflowError: more than 2^31 - 1 bigrams.
    """
