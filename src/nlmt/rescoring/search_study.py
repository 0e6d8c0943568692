"""Costs and gains of a wider search: n-best lists and lattice rescoring on the same lattices.

After Auli, Galley, Quirk and Zweig (2013), figure 3.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from nlmt.io.lattice import Lattice, Weights
from nlmt.io.lattice_file import LatticeFile
from nlmt.lm.protocol import SteppingModel
from nlmt.rescoring.lattices import LatticeRescorer

# Translations that are scored together: more of them share more words, and need more memory.
BATCH = 100_000


@dataclass(frozen=True)
class Search:
    """The best translations that one search finds.

    Attributes:
        kind: `list` or `states`.
        size: of the lists, or states kept at a node.
        texts: a translation for each lattice.
        score: mean weighted sum of all features.
        seconds: wall time a sentence, to list and to score, or to rescore the lattice, which has
            been read.
    """

    kind: str
    size: int
    texts: list[str]
    score: float
    seconds: float


class _Reader:
    """Reads lattices one after the other, and the time that takes, which is no search's."""

    def __init__(self, lattices: Sequence[Lattice] | LatticeFile) -> None:
        self._lattices = lattices
        self._started = time.perf_counter()
        self._reading = 0.0

    def __iter__(self) -> Iterator[Lattice]:
        for number in range(len(self._lattices)):
            started = time.perf_counter()
            lattice = self._lattices[number]
            self._reading += time.perf_counter() - started
            yield lattice

    def seconds(self) -> float:
        """Since the start, without reading, for one lattice."""
        return (time.perf_counter() - self._started - self._reading) / len(self._lattices)


def search_states(
    lattices: Sequence[Lattice] | LatticeFile,
    models: Mapping[str, SteppingModel],
    weights: Weights,
    size: int,
) -> Search:
    """Rescore the lattices with at most `size` states a node.

    Args:
        lattices: at least one; some of them are in memory at a time.
        models: the new features; none that needs the source.
        weights: of all features.
        size: states kept at a node.
    """
    reader = _Reader(lattices)
    texts, total = [], 0.0
    for rescored in LatticeRescorer(models, weights, states=size).rescore(reader):
        best = rescored.best_path()
        texts.append(rescored.text(best))
        total += best.score
    return Search("states", size, texts, total / len(lattices), reader.seconds())


def search_lists(
    lattices: Sequence[Lattice] | LatticeFile,
    models: Mapping[str, SteppingModel],
    weights: Weights,
    size: int,
) -> Search:
    """Rescore the `size` best different translations under the weights of the lattices' own search.

    Args:
        lattices: at least one; the translations of some of them are in memory at a time.
        models: the new features; none that needs the source.
        weights: of all features.
        size: different translations of each lattice.
    """
    reader = _Reader(lattices)
    best: list[tuple[str, float]] = []
    lists: list[list[tuple[str, float]]] = []
    waiting = 0
    for lattice in reader:
        known = lattice.scores({**lattice.weights, **weights})
        paths = lattice.nbest(size, distinct=True)
        lists.append([(lattice.text(path), float(known[path.arcs].sum())) for path in paths])
        waiting += len(paths)
        if waiting >= BATCH:
            best += _best_of(lists, models, weights)
            lists, waiting = [], 0
    if lists:
        best += _best_of(lists, models, weights)
    texts = [text for text, _ in best]
    score = float(np.mean([score for _, score in best]))
    return Search("list", size, texts, score, reader.seconds())


def _best_of(
    lists: Sequence[Sequence[tuple[str, float]]],
    models: Mapping[str, SteppingModel],
    weights: Weights,
) -> Iterator[tuple[str, float]]:
    """The best translation of each list and its score, from those without the models' features."""
    rows = [row for translations in lists for row in translations]
    words = [text.split() for text, _ in rows]
    offsets = np.cumsum([0, *map(len, words)]).astype(np.int64)
    scores = np.array([score for _, score in rows])
    for label, model in models.items():
        ids = model.lookup([word for row in words for word in row])
        scores += weights[label][0] * model.score_sentences(ids, offsets)
    borders = np.cumsum([0, *map(len, lists)])
    for first, behind in pairwise(int(border) for border in borders):
        place = first + int(np.argmax(scores[first:behind]))
        yield rows[place][0], float(scores[place])


def study_search(
    lattices: Sequence[Lattice] | LatticeFile,
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
    search_states([lattices[0]], models, weights, 1)  # to fill caches
    for size in lists:
        yield search_lists(lattices, models, weights, size)
    for size in states:
        yield search_states(lattices, models, weights, size)
