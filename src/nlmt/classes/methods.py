"""The other ways to classes of words, which Brown clustering is compared with, and all by name.

Whatever the classes, they come into a tree in the same way: of the classes those two are merged
whose merge loses the least mutual information.
"""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from nlmt.classes._brown import arrange
from nlmt.classes.bigrams import BigramCounts
from nlmt.classes.brown import as_clustering, brown_cluster, check_count, counts
from nlmt.classes.clustering import Clustering


def exchange_cluster(text: Iterable[str] | BigramCounts, classes: int | None = None) -> Clustering:
    """The exchange of Martin, Liermann and Ney 1998 alone.

    The K - 1 most frequent words begin as classes of their own, all others as the last class; one
    word at a time then moves to the class that raises the mutual information most, until none does.

    Args:
        text: as of `brown_cluster`.
        classes: as of `brown_cluster`.

    Raises:
        InputError: as of `brown_cluster`.
    """
    bigrams, classes = check_count(text, classes)
    start = np.minimum(np.arange(len(bigrams.words)), classes - 1).astype(np.int32)
    return as_clustering(bigrams, arrange(*counts(bigrams), start, True))


def frequency_bins(
    text: Iterable[str] | BigramCounts, classes: int | None = None, *, square_root: bool = False
) -> Clustering:
    """Classes of words that are equally frequent (Mikolov et al. 2011, section 3.2).

    The words, by falling count, fill one class after the other: class i ends where the words so far
    have the share (i + 1) / K of all counts.

    Args:
        text: as of `brown_cluster`.
        classes: as of `brown_cluster`.
        square_root: add up the square roots of the counts, which makes the large classes of rare
            words smaller.

    Raises:
        InputError: as of `brown_cluster`.
    """
    bigrams, classes = check_count(text, classes)
    mass = np.sqrt(bigrams.counts) if square_root else bigrams.counts.astype(np.float64)
    return as_clustering(bigrams, arrange(*counts(bigrams), _bins(mass, classes), False))


def _bins(mass: NDArray[np.float64], classes: int) -> NDArray[np.int32]:
    """The class of each word; none of them is empty."""
    borders = np.cumsum(mass) * classes / mass.sum()
    found = np.empty(len(mass), dtype=np.int32)
    present = 0
    for word, border in enumerate(borders.tolist()):
        found[word] = present
        words_left, classes_left = len(mass) - word - 1, classes - present - 1
        if classes_left and (border >= present + 1 or words_left == classes_left):
            present += 1
    return found


# Each takes a text, or its counts, and the number of classes.
METHODS: dict[str, Callable[[Iterable[str] | BigramCounts, int | None], Clustering]] = {
    "brown": brown_cluster,
    "exchange": exchange_cluster,
    "frequency": frequency_bins,
    "square-root": partial(frequency_bins, square_root=True),
}
