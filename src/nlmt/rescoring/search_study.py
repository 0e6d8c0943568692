"""Costs and gains of a wider search: n-best lists and lattice rescoring on the same lattices.

After Auli, Galley, Quirk and Zweig (2013), figure 3.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from nlmt.io.lattice import Lattice, Path
from nlmt.io.lattice_file import LatticeFile
from nlmt.io.weights import Weights
from nlmt.lm.protocol import SteppingModel
from nlmt.rescoring.lattices import LatticeRescorer

# Translations that are scored together: more of them share more words, but need more memory.
BATCH = 100_000


@dataclass(frozen=True)
class SearchResult:
    """The best translations of one search.

    Attributes:
        kind: `list` or `states`.
        size: of the lists, or number of states kept at a node.
        texts: a translation for each lattice.
        scores: the weighted sum of all features of each.
        seconds: wall time per sentence of each repetition, to list and score, or to rescore the
            lattice, without reading it.
    """

    kind: str
    size: int
    texts: list[str]
    scores: list[float]
    seconds: tuple[float, ...]


class _Reader:
    """Reads lattices one by one, and measures the time of reading, to be excluded."""

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
        """Mean time per lattice since the start, without reading."""
        return (time.perf_counter() - self._started - self._reading) / len(self._lattices)


def search_states(
    lattices: Sequence[Lattice] | LatticeFile,
    models: Mapping[str, SteppingModel],
    weights: Weights,
    size: int,
) -> SearchResult:
    """Rescore the lattices with at most `size` states per node.

    There is at least one lattice, and no model that needs the source.
    """
    reader = _Reader(lattices)
    texts, scores = [], []
    for rescored in LatticeRescorer(models, weights, states=size).rescore(reader):
        best = rescored.best_path()
        texts.append(rescored.text(best))
        scores.append(best.score)
    return SearchResult("states", size, texts, scores, (reader.seconds(),))


def search_lists(
    lattices: Sequence[Lattice] | LatticeFile,
    models: Mapping[str, SteppingModel],
    weights: Weights,
    size: int,
) -> SearchResult:
    """Rescore the `size` best different translations under the weights of the lattices' own search.

    There is at least one lattice, and no model that needs the source.
    """
    reader = _Reader(lattices)
    best: list[tuple[str, float]] = []
    batch: list[_Listed] = []
    waiting = 0
    for lattice in reader:
        known = lattice.scores({**lattice.weights, **weights})
        paths = lattice.nbest(size, distinct=True)
        batch.append(_Listed(lattice, paths, [float(known[path.arcs].sum()) for path in paths]))
        waiting += len(paths)
        if waiting >= BATCH:
            best += _best_of(batch, models, weights)
            batch, waiting = [], 0
    if batch:
        best += _best_of(batch, models, weights)
    texts, scores = [text for text, _ in best], [score for _, score in best]
    return SearchResult("list", size, texts, scores, (reader.seconds(),))


@dataclass(frozen=True, eq=False)
class _Listed:
    """Paths of a lattice, and their scores without the models' features."""

    lattice: Lattice
    paths: list[Path]
    scores: list[float]


def _best_of(
    batch: Sequence[_Listed], models: Mapping[str, SteppingModel], weights: Weights
) -> Iterator[tuple[str, float]]:
    """The best translation of each list, and its score."""
    words = [listed.lattice.words_of(listed.paths) for listed in batch]
    lengths = np.concatenate([np.diff(offsets) for _, offsets in words])
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    scores = np.array([score for listed in batch for score in listed.scores])
    for label, model in models.items():
        # Lattices of one file share their vocabulary.
        vocabularies = {id(listed.lattice.words): listed.lattice.words for listed in batch}
        numbers = {key: model.lookup(some) for key, some in vocabularies.items()}
        ids = [
            numbers[id(listed.lattice.words)][own]
            for listed, (own, _) in zip(batch, words, strict=True)
        ]
        scores += weights[label][0] * model.score_sentences(np.concatenate(ids), offsets)
    first = 0
    for listed in batch:
        place = int(np.argmax(scores[first : first + len(listed.paths)]))
        yield listed.lattice.text(listed.paths[place]), float(scores[first + place])
        first += len(listed.paths)


def study_search(
    lattices: Sequence[Lattice] | LatticeFile,
    models: Mapping[str, SteppingModel],
    weights: Weights,
    *,
    lists: Sequence[int],
    states: Sequence[int],
    repetitions: int = 1,
) -> list[SearchResult]:
    """Search with all these sizes in turn, with models that are warmed up.

    Each repetition is a pass over all searches, every second one backwards; all find the same.

    There is at least one lattice, whose weights determine the lists, and no model that needs the
    source. `weights` are those of all features, for the choice.
    """
    search_states([lattices[0]], models, weights, 1)  # fills caches
    searches = [
        *(partial(search_lists, lattices, models, weights, size) for size in lists),
        *(partial(search_states, lattices, models, weights, size) for size in states),
    ]
    found = [search() for search in searches]
    for turn in range(1, repetitions):
        for place in range(len(found))[:: -1 if turn % 2 else 1]:
            seconds = found[place].seconds + searches[place]().seconds
            found[place] = replace(found[place], seconds=seconds)
    return found
