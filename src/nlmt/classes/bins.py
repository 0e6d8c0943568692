"""Bins of words of similar frequency (Mikolov et al. 2011)."""

import numpy as np
from numpy.typing import NDArray

from nlmt.classes.bigrams import BigramCounts
from nlmt.classes.brown import arrange_classes, check_count
from nlmt.classes.clustering import Clustering
from nlmt.classes.methods import ClassMethod


def frequency_bins(
    bigrams: BigramCounts, classes: int | None = None, *, square_root: bool = False
) -> Clustering:
    """Make classes that are equally frequent (Mikolov et al. 2011, section 3.2).

    The words, by falling count, fill the classes in turn: class i ends where the words so far have
    the share (i + 1) / K of all counts.

    `bigrams` and `classes` are as in `brown_cluster`. With `square_root` the square roots of the
    counts are summed, which makes the large classes of rare words smaller.

    Raises:
        InputError: as in `brown_cluster`.
    """
    classes = check_count(bigrams, classes)
    mass = np.sqrt(bigrams.counts) if square_root else bigrams.counts.astype(np.float64)
    return arrange_classes(bigrams, _bins(mass, classes))


def _bins(mass: NDArray[np.float64], classes: int) -> NDArray[np.int32]:
    """The class of each word; no class is empty."""
    borders = np.cumsum(mass) * classes / mass.sum()
    found = np.empty(len(mass), dtype=np.int32)
    present = 0
    for word, border in enumerate(borders.tolist()):
        found[word] = present
        words_left, classes_left = len(mass) - word - 1, classes - present - 1
        if classes_left and (border >= present + 1 or words_left == classes_left):
            present += 1
    return found


FREQUENCY = ClassMethod(
    lambda bigrams, classes, _: frequency_bins(bigrams, classes),
    "bins of equal frequency, Mikolov et al. 2011",
    "Bins: words by falling count, so that all classes occur about equally often.",
)
SQUARE_ROOT = ClassMethod(
    lambda bigrams, classes, _: frequency_bins(bigrams, classes, square_root=True),
    "bins of equal sums of the square roots of counts",
    """\
Bins: words by falling count, so that the square roots of the counts of each add up to about the
same. Their sizes differ less than those of bins of equal frequency.""",
)
