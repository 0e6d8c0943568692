"""Brown's own tree, down to the words.

Brown et al. (1992, section 3) go on merging until one class is left, and read a binary tree of all
words off the order of the merges. Over V words this takes O(V^3) steps and memory for several
matrices of V x V. Here K classes are found and refined first (`nlmt.classes.brown`); the words of
each class are then merged two by two, each merge losing the least mutual information beside the
K - 1 other classes, and the K classes likewise above them. With K >= V the tree is Brown's, with
nothing left out.
"""

from collections.abc import Iterable

from nlmt.classes._brown import cluster
from nlmt.classes.bigrams import BigramCounts
from nlmt.classes.brown import as_clustering, check_count, counts
from nlmt.classes.clustering import Clustering
from nlmt.classes.methods import ClassMethod


def brown_tree(text: Iterable[str] | BigramCounts, classes: int | None = None) -> Clustering:
    """Arrange the words of a text in a binary tree.

    Of a class of more than 4,096 words, these many begin side by side, the most frequent first, and
    each further word is placed beside them after the best merge, as in the window of
    `brown_cluster`.

    Args:
        text: as of `brown_cluster`.
        classes: K as of `brown_cluster`: nodes of the tree below which words stay together.

    Returns:
        Each word is a class, with its path as bit string.

    Raises:
        InputError: as of `brown_cluster`.
    """
    bigrams, classes = check_count(text, classes)
    found = cluster(*counts(bigrams), classes, True, word_tree=True)
    return as_clustering(bigrams, found, word_tree=True)


BROWN_TREE = ClassMethod(
    lambda bigrams, classes, _: brown_tree(bigrams, classes),
    "Brown's tree of all words, for a tree-factored output",
    """\
Brown's tree down to the words (Brown et al. 1992, section 3): Brown clustering, then the words of
each class are merged two by two as the classes are. Each word has a bit string of its own. With as
many classes as words no merge is left out, which takes time with the cube of their number.""",
    word_tree=True,
)
