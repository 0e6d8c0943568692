"""Word clustering, compiled from cpp/classes."""

import numpy as np
from numpy.typing import NDArray

class Clusters:
    """Classes of words 0 .. V-1 and the binary tree over them."""

    @property
    def start(self) -> list[int]:
        """Classes (V,) before words moved: the result of the window, or the given ones."""
    @property
    def classes(self) -> list[int]:
        """Final classes 0 .. K-1 of the words (V,); each class has a word."""
    @property
    def merges(self) -> list[tuple[int, int]]:
        """Merges in order: a class, and the class merged into it (K - 1); or of words (V - 1)."""

class Bigrams:
    """Bigram counts of words by falling frequency."""

    def __init__(
        self,
        unigram: NDArray[np.int64],
        first: NDArray[np.int32],
        second: NDArray[np.int32],
        count: NDArray[np.int64],
    ) -> None:
        """Take counts.

        Args:
            unigram: (V + 1,) counts of the words, then of the sentence boundary.
            first: (bigrams,) id of the first word of each distinct bigram, V for the boundary.
            second: (bigrams,) id of its second word.
            count: (bigrams,) number of its occurrences.

        Raises:
            ValueError: no words, invalid ids or counts.
            OverflowError: more than 2^32 - 1 bigrams.
        """

def cluster(
    bigrams: Bigrams, classes: int, refine: bool, penalty: float = 0.0, word_tree: bool = False
) -> Clusters:
    """Brown clustering of words, with the same result on every machine and in every run.

    Args:
        bigrams: of words 0 .. V-1.
        classes: K; if it exceeds V, each word is a class.
        refine: whether words move to better classes after the window.
        penalty: in nats, for each word of the expected class size.
        word_tree: whether to continue the tree below the classes, down to the words.

    Raises:
        ValueError: `classes` under 1, a negative penalty.
    """

def arrange(
    bigrams: Bigrams,
    start: NDArray[np.int32],
    refine: bool,
    penalty: float = 0.0,
    word_tree: bool = False,
) -> Clusters:
    """Improve given classes, and merge them into a tree.

    Args:
        bigrams: as for `cluster`.
        start: (V,) class of each word, 0 .. K-1; each has a word.
        refine: whether words move to better classes.
        penalty: as for `cluster`.
        word_tree: as for `cluster`.

    Raises:
        ValueError: classes that are not 0 .. K-1, a negative penalty.
    """
