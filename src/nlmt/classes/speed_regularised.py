"""Classes for fast class-factored models that cost little perplexity.

Zweig and Makarychev, Speed regularization and optimality in word classing, ICASSP 2013, add a term
for the speed of the model to the likelihood by which classes are found; Auli et al. (2013, section
4) use such classes, by "a version of Brown clustering". The kind of objective is taken from the
abstract of the first paper. Its form here, its scale and the search are our own:

    I(C) - weight S(C) / sqrt(V),    S(C) = sum over words w of p(w) |class of w|

I(C) is the average mutual information of neighbouring classes, in nats, which differs from the
log-likelihood of a class bigram model by a constant (Brown et al. 1992, section 3). A
class-factored softmax multiplies the hidden vector by K + S(C) rows for a word of the text, of
which K is given. The scale sqrt(V) is S(C) for sqrt(V) classes of equal size. The search is that of
`nlmt.classes.brown`, window and exchange, for this objective instead of I(C).
"""

import math

from nlmt.classes._brown import cluster
from nlmt.classes.bigrams import BigramCounts
from nlmt.classes.brown import as_clustering, check_count, counts
from nlmt.classes.clustering import Clustering
from nlmt.classes.methods import ClassMethod
from nlmt.settings import Settings, setting


class SpeedOptions(Settings):
    """Options of speed-regularised clustering."""

    weight: float = setting(
        0.3,
        "Mutual information to give up for sqrt(V) fewer words in the class of a word of the "
        "text, on average.",
        unit="nats",
        ge=0,
        le=1000,
    )


def speed_regularised_cluster(
    bigrams: BigramCounts, classes: int | None = None, *, weight: float = 0.3
) -> Clustering:
    """Cluster the words of a text for a class-factored model.

    `bigrams` and `classes` are as in `brown_cluster`; `weight` is that of speed, in nats: 0 is
    Brown clustering.

    Raises:
        InputError: as in `brown_cluster`.
    """
    classes = check_count(bigrams, classes)
    penalty = weight / math.sqrt(len(bigrams.words))
    return as_clustering(bigrams, cluster(counts(bigrams), classes, True, penalty))


SPEED_REGULARISED = ClassMethod(
    lambda bigrams, classes, options: speed_regularised_cluster(
        bigrams, classes, weight=options.weight
    ),
    "Brown clustering for speed, after Zweig and Makarychev 2013",
    """\
Brown clustering with a term for the speed of a class-factored model (after Zweig and Makarychev
2013): words move to increase mutual information, and to make classes faster to sum over.""",
    options_type=SpeedOptions,
)
