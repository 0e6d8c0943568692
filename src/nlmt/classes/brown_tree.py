"""Brown's own tree, down to the words.

Brown et al. (1992, section 3) continue merging until one class is left, and derive a binary tree of
all words from the order of the merges. Over V words this takes O(V^3) steps and memory for several
matrices of V x V. Here K classes are found and refined first (`nlmt.classes.brown`); the words of
each class are then merged pairwise, where each merge loses the least mutual information beside the
K - 1 other classes, and so are the K classes above them. With K >= V the tree is exactly Brown's.
"""

from nlmt.classes._brown import cluster
from nlmt.classes.bigrams import BigramCounts
from nlmt.classes.brown import as_clustering, check_count, counts
from nlmt.classes.clustering import Clustering
from nlmt.classes.methods import ClassMethod


def brown_tree(bigrams: BigramCounts, classes: int | None = None) -> Clustering:
    """Arrange the words of a text in a binary tree.

    In a class of more than 4,096 words, the 4,096 most frequent ones begin as leaves, and each
    further word is added after the best merge, as in the window of `brown_cluster`.

    `bigrams` and `classes` (K) are as in `brown_cluster`: below K nodes of the tree words stay
    together.

    Returns:
        Each word as a class, with its path as bit string.

    Raises:
        InputError: as in `brown_cluster`.
    """
    classes = check_count(bigrams, classes)
    found = cluster(counts(bigrams), classes, True, word_tree=True)
    return as_clustering(bigrams, found, word_tree=True)


BROWN_TREE = ClassMethod(
    lambda bigrams, classes, _: brown_tree(bigrams, classes),
    "Brown's tree of all words, for a tree-factored output",
    """\
Brown's tree down to the words (Brown et al. 1992, section 3): Brown clustering, then the words of
each class are merged pairwise, like the classes. Each word has a bit string of its own. With as
many classes as words the tree is exact, but takes time with the cube of their number.""",
    word_tree=True,
)
