"""Clustering by the exchange of Martin, Liermann and Ney (1998) alone."""

import numpy as np

from nlmt.classes._brown import arrange
from nlmt.classes.bigrams import BigramCounts
from nlmt.classes.brown import as_clustering, check_count, counts
from nlmt.classes.clustering import Clustering
from nlmt.classes.methods import ClassMethod


def exchange_cluster(bigrams: BigramCounts, classes: int | None = None) -> Clustering:
    """Cluster words by exchange alone.

    The K - 1 most frequent words begin as separate classes, all others as the last class; then one
    word at a time moves to the class that increases the mutual information most, until no move
    does.

    `bigrams` and `classes` are as in `brown_cluster`.

    Raises:
        InputError: as in `brown_cluster`.
    """
    classes = check_count(bigrams, classes)
    start = np.minimum(np.arange(len(bigrams.words)), classes - 1).astype(np.int32)
    return as_clustering(bigrams, arrange(counts(bigrams), start, True))


EXCHANGE = ClassMethod(
    lambda bigrams, classes, _: exchange_cluster(bigrams, classes),
    "the exchange alone, Martin et al. 1998",
    """\
The exchange alone (Martin, Liermann and Ney 1998): from classes of the most frequent words and one
of all others, one word at a time moves to the class that increases mutual information most.""",
)
