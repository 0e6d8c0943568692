"""Costs and gains of a wider search: n-best lists and lattice rescoring on the same lattices.

After Auli, Galley, Quirk and Zweig (2013), figure 3.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from nlmt.io.lattice import Lattice, Weights
from nlmt.lm.protocol import SteppingModel
from nlmt.rescoring.lattices import LatticeRescorer


@dataclass(frozen=True)
class Search:
    """The best translations that one search finds.

    Attributes:
        kind: `list` or `states`.
        size: of the lists, or states kept at a node.
        texts: a translation for each lattice.
        score: mean weighted sum of all features.
        seconds: wall time a sentence, to list and to score, or to rescore the lattice.
    """

    kind: str
    size: int
    texts: list[str]
    score: float
    seconds: float


def search_states(
    lattices: Sequence[Lattice], models: Mapping[str, SteppingModel], weights: Weights, size: int
) -> Search:
    """Rescore the lattices with at most `size` states a node.

    Args:
        lattices: at least one.
        models: the new features; none that needs the source.
        weights: of all features.
        size: states kept at a node.
    """
    started = time.perf_counter()
    texts, total = [], 0.0
    for rescored in LatticeRescorer(models, weights, states=size).rescore(lattices):
        best = rescored.best_path()
        texts.append(rescored.text(best))
        total += best.score
    seconds = (time.perf_counter() - started) / len(lattices)
    return Search("states", size, texts, total / len(lattices), seconds)


def search_lists(
    lattices: Sequence[Lattice], models: Mapping[str, SteppingModel], weights: Weights, size: int
) -> Search:
    """Rescore the `size` best different translations under the weights of the lattices' own search.

    Args:
        lattices: at least one.
        models: the new features; none that needs the source.
        weights: of all features.
        size: different translations of each lattice.
    """
    started = time.perf_counter()
    texts, totals, borders = [], [], [0]
    for lattice in lattices:
        known = lattice.scores({**lattice.weights, **weights})
        paths = lattice.nbest(size, distinct=True)
        texts += [lattice.text(path) for path in paths]
        totals += [float(known[path.arcs].sum()) for path in paths]
        borders.append(len(texts))
    scores = np.array(totals)
    words = [text.split() for text in texts]
    offsets = np.cumsum([0, *map(len, words)]).astype(np.int64)
    for label, model in models.items():
        ids = model.lookup([word for row in words for word in row])
        scores += weights[label][0] * model.score_sentences(ids, offsets)
    best = [int(a + np.argmax(scores[a:b])) for a, b in pairwise(borders)]
    seconds = (time.perf_counter() - started) / len(lattices)
    return Search("list", size, [texts[row] for row in best], float(scores[best].mean()), seconds)


def study_search(
    lattices: Sequence[Lattice],
    models: Mapping[str, SteppingModel],
    weights: Weights,
    *,
    lists: Sequence[int],
    states: Sequence[int],
) -> Iterator[Search]:
    """Search with all these sizes, one after the other, with models that have warmed up.

    Args:
        lattices: at least one; their weights make the lists.
        models: the new features; none that needs the source.
        weights: of all features, which choose.
        lists: sizes of n-best lists.
        states: states kept at a node.
    """
    search_states(lattices[:1], models, weights, 1)  # to fill caches
    for size in lists:
        yield search_lists(lattices, models, weights, size)
    for size in states:
        yield search_states(lattices, models, weights, size)
