"""Brown clustering (Brown et al. 1992) with Liang's window, an exchange, and the tree of classes.

The K most frequent words begin as separate classes. Each further word, by falling frequency,
becomes class K + 1, and those two of the K + 1 classes are merged whose merge loses the least
average mutual information of neighbouring classes (Liang 2005, section 4.2). Words then move, one
at a time, to the class that increases it most, until no move does (Martin, Liermann and Ney 1998).
Finally the K classes are merged pairwise, by the same measure, into a binary tree.
"""

import logging
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlmt.classes._brown import Bigrams, Clusters, arrange, cluster
from nlmt.classes.bigrams import BigramCounts, average_mutual_information
from nlmt.classes.clustering import Clustering
from nlmt.classes.methods import ClassMethod
from nlmt.errors import InputError
from nlmt.settings import Settings, setting

log = logging.getLogger(__name__)

_MOST = 2**32 - 1  # bigrams, which the compiled code counts in 32 bits


def default_class_count(words: int) -> int:
    """3 sqrt(V), rounded, but at most V: OxLM's default.

    Baltescu and Blunsom (2015) choose about sqrt(V) classes, the order of magnitude for which a
    class-factored output is fastest.
    """
    return min(words, round(3 * math.sqrt(words)))


def brown_cluster(
    bigrams: BigramCounts, classes: int | None = None, *, refine: bool = True
) -> Clustering:
    """Cluster the words of a text.

    `<unk>` is an ordinary word. The result does not depend on the order of lines: of equally good
    merges the one of the lowest slots is made, and a word moves only to a strictly better class.

    Args:
        bigrams: counts of the text.
        classes: K, or None for 3 sqrt(V); with K >= V each word is a class.
        refine: whether to move words to better classes after the window; False is Liang's
            clustering.

    Raises:
        InputError: a text without words, or K under 1.
    """
    classes = check_count(bigrams, classes)
    return as_clustering(bigrams, cluster(counts(bigrams), classes, refine))


def arrange_classes(bigrams: BigramCounts, class_ids: NDArray[np.int32]) -> Clustering:
    """Arrange given classes in a tree, in which each merge loses the least mutual information.

    `class_ids` (V,) has the class of each word, 0 .. K - 1, each with a word.
    """
    return as_clustering(bigrams, arrange(counts(bigrams), class_ids, False))


class BrownOptions(Settings):
    """Options of Brown clustering."""

    refine: bool = setting(
        True, "Whether to move words to better classes at the end; false is Liang's clustering."
    )


def check_count(bigrams: BigramCounts, classes: int | None) -> int:
    """The number of classes that there will be: the default without one, at most all words.

    Raises:
        InputError: a text without words, or with too many, or K under 1.
    """
    if not bigrams.words:
        raise InputError("no words to cluster: the text is empty")
    if (total := int(bigrams.number.sum())) > _MOST:
        what = f"{total:,} pairs of neighbouring words, but at most {_MOST:,} are counted"
        raise InputError(what, hint="cluster the words of a part of the text")
    if classes is None:
        classes = default_class_count(len(bigrams.words))
    if classes < 1:
        raise InputError(f"cannot make {classes} classes", hint="give at least 1")
    return min(classes, len(bigrams.words))


def counts(bigrams: BigramCounts) -> Bigrams:
    """Bigram counts as the compiled code takes them."""
    unigram = np.append(bigrams.counts, bigrams.sentences)
    return Bigrams(unigram, bigrams.first, bigrams.second, bigrams.number)


def as_clustering(bigrams: BigramCounts, found: Clusters, *, word_tree: bool = False) -> Clustering:
    """The result of the compiled code as a clustering, with classes in the order of the tree.

    With `word_tree` the leaves of the tree are words, each of which is a class.
    """
    ids = np.array(found.classes, dtype=np.int32)
    before = average_mutual_information(bigrams, np.array(found.start, dtype=np.int32))
    after = average_mutual_information(bigrams, ids)
    log.info(
        "%d words in %d classes: average mutual information %.5f bits (%.5f before the exchange)",
        len(ids), ids.max() + 1, after / math.log(2), before / math.log(2),
    )  # fmt: skip

    if word_tree:
        ids = np.arange(len(ids), dtype=np.int32)
        before = after = average_mutual_information(bigrams, ids)
    bits = _bit_strings(found.merges)
    leaves = sorted(range(len(bits)), key=bits.__getitem__)
    rank = np.empty(len(bits), dtype=np.int32)
    rank[leaves] = np.arange(len(bits), dtype=np.int32)
    order = np.argsort(rank[ids], kind="stable")  # words are sorted by falling count
    return Clustering(
        words=tuple(bigrams.words[word] for word in order),
        counts=bigrams.counts[order],
        class_ids=rank[ids][order],
        bits=tuple(bits[leaf] for leaf in leaves),
        average_mutual_information=after,
        start_mutual_information=before,
    )


def _bit_strings(merges: Sequence[tuple[int, int]]) -> list[str]:
    """Paths from the root to the K leaves: 0 to the class kept, 1 to the one merged into it."""
    bits = [""] * (len(merges) + 1)
    for keep, gone in reversed(merges):
        # Until here both are one node, with the path of the class that was kept.
        bits[gone] = bits[keep] + "1"
        bits[keep] += "0"
    return bits


BROWN = ClassMethod(
    lambda bigrams, classes, options: brown_cluster(bigrams, classes, refine=options.refine),
    "Brown et al. 1992, with an exchange and a tree of classes",
    """\
Brown clustering: words with similar neighbours are in one class. The most frequent words begin as
classes, the others join them one by one (Brown et al. 1992; Liang 2005), then words move to better
classes.""",
    options_type=BrownOptions,
)
