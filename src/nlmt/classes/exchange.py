"""The exchange of Martin, Liermann and Ney (1998) alone."""

from collections.abc import Iterable

import numpy as np

from nlmt.classes._brown import arrange
from nlmt.classes.bigrams import BigramCounts
from nlmt.classes.brown import as_clustering, check_count, counts
from nlmt.classes.clustering import Clustering
from nlmt.classes.methods import ClassMethod


def exchange_cluster(text: Iterable[str] | BigramCounts, classes: int | None = None) -> Clustering:
    """Cluster by exchange alone.

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


EXCHANGE = ClassMethod(
    lambda bigrams, classes, _: exchange_cluster(bigrams, classes),
    "the exchange alone, Martin et al. 1998",
    """\
The exchange alone (Martin, Liermann and Ney 1998): from classes of the most frequent words and one
of all others, a word at a time moves to the class that raises the mutual information most.""",
)
