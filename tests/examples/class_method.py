"""A method of word classes: words with the same ending."""

import numpy as np

from nlmt.classes import METHODS, BigramCounts, ClassMethod, Clustering
from nlmt.classes.brown import arrange_classes, check_count
from nlmt.settings import Settings, setting


class EndingOptions(Settings):
    """Options of classes by ending."""

    letters: int = setting(2, "Length of the longest endings.", ge=1)


def cluster_by_ending(
    bigrams: BigramCounts, classes: int | None, options: EndingOptions
) -> Clustering:
    """The K - 1 endings with most words are classes, all other words are the last one."""
    classes = check_count(bigrams, classes)
    _, found, words = np.unique(
        [word[-options.letters :] for word in bigrams.words],
        return_inverse=True,
        return_counts=True,
    )
    rank = np.argsort(np.argsort(-words, kind="stable"))
    return arrange_classes(bigrams, np.minimum(rank[found], classes - 1).astype(np.int32))


METHODS.register(
    "ending",
    ClassMethod(
        cluster_by_ending,
        summary="words with the same ending",
        description="Words whose last letters are the same.",
        options_type=EndingOptions,
    ),
)
