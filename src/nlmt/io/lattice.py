"""Translation lattices as arrays: many translations of a sentence, with scores on arcs.

A node is a state of the search, an arc the application of a phrase, that is target words for a span
of the source. Nodes are numbered in topological order, so that every arc leads to a higher number;
0 is the only start node, the last node the only end node. Many arcs share a phrase. Scores are
natural logs.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io import _lattice
from nlmt.io.nbest import flatten_weights
from nlmt.io.weights import Weights


@dataclass(frozen=True, eq=False)
class Path:
    """A path from start to end: its arcs in order, and the sum of their scores."""

    arcs: NDArray[np.int32]
    score: float


@dataclass(frozen=True, eq=False)
class Lattice:
    """The lattice of a sentence; A arcs with F feature values each, P phrases.

    Arcs are sorted by start node, then by end node. A lattice of one node has no arc; its only
    translation is empty.

    Attributes:
        sentence: number of the input sentence.
        words: vocabulary of all ids, which lattices of one file share.
        source: ids of the source sentence's words; empty if unknown.
        nodes: number of nodes.
        from_node, to_node: (A,) where each arc begins and ends.
        phrase: (A,) the phrase of each arc.
        features: (A, F) values of each arc; language models as natural logs.
        feature_names: label and number of values, in the order of the columns of `features`.
        weights: by label, of the search that made the lattice.
        word_offsets: (P + 1,) phrase p is word_ids[word_offsets[p]:word_offsets[p + 1]].
        word_ids: the target words of all phrases.
        spans: (P, 2) first source word and the one after the last; 0, 0 where unknown.
        point_offsets: (P + 1,) into `points`.
        points: (M, 2) aligned source and target words, counted within the phrase.
    """

    sentence: int
    words: Sequence[str]
    source: NDArray[np.int32]
    nodes: int
    from_node: NDArray[np.int32]
    to_node: NDArray[np.int32]
    phrase: NDArray[np.int32]
    features: NDArray[np.float32]
    feature_names: list[tuple[str, int]]
    weights: Weights
    word_offsets: NDArray[np.int64]
    word_ids: NDArray[np.int32]
    spans: NDArray[np.int32]
    point_offsets: NDArray[np.int64]
    points: NDArray[np.int32]

    def __post_init__(self) -> None:
        """Check the assumptions of the compiled code; raise `ValueError` if one does not hold."""
        arcs, phrases = len(self.from_node), len(self.spans)
        ends = self.to_node.astype(np.int64)
        begins = self.from_node.astype(np.int64)
        rules: dict[str, Callable[[], bool]] = {
            "one end, phrase and row of features an arc": lambda: (
                self.to_node.shape == self.phrase.shape == (arcs,)
                and self.features.shape == (arcs, sum(width for _, width in self.feature_names))
            ),
            "arcs that lead upwards, sorted": lambda: (
                self.nodes >= 1
                and (arcs == 0 or (begins[0] >= 0 and int(ends.max()) < self.nodes))
                and bool((begins < ends).all())
                and bool((np.diff(begins * self.nodes + ends) >= 0).all())
            ),
            "all nodes on a path from start to end": lambda: (
                bool(np.bincount(self.from_node, minlength=self.nodes)[:-1].all())
                and bool(np.bincount(self.to_node, minlength=self.nodes)[1:].all())
            ),
            "phrases that exist": lambda: _within(self.phrase, phrases),
            "words that exist": lambda: (
                _within(self.word_ids, len(self.words)) and _within(self.source, len(self.words))
            ),
            "offsets of words and alignments that fit": lambda: (
                _is_offsets(self.word_offsets, phrases, len(self.word_ids))
                and _is_offsets(self.point_offsets, phrases, len(self.points))
                and self.spans.shape == (phrases, 2)
                and self.points.shape == (len(self.points), 2)
            ),
        }
        for rule, holds in rules.items():
            if not holds():
                raise ValueError(f"a lattice needs {rule}")

    def __len__(self) -> int:
        """Number of arcs."""
        return len(self.from_node)

    def phrase_words(self, phrase: int) -> list[str]:
        """Target words of a phrase."""
        begin, end = self.word_offsets[phrase : phrase + 2]
        return [self.words[w] for w in self.word_ids[begin:end]]

    def text(self, path: Path) -> str:
        """The translation of a path, with words separated by single spaces."""
        return " ".join([w for arc in path.arcs for w in self.phrase_words(self.phrase[arc])])

    def words_of(self, paths: Sequence[Path]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The concatenated ids of the words of many paths, and offsets (paths + 1,)."""
        arcs = np.concatenate([np.zeros(0, np.int32), *(path.arcs for path in paths)])
        places, offsets = take_parts(self.word_offsets, self.phrase[arcs])
        ends = np.cumsum([0, *(len(path.arcs) for path in paths)])
        return self.word_ids[places], offsets[ends]

    def scores(self, weights: Weights | None = None) -> NDArray[np.float64]:
        """Weighted sum (A,) of each arc's features.

        Args:
            weights: one for each value of each label; None: the search's weights.

        Raises:
            InputError: as in `flatten_weights`; a score, or sum of them, that is not a finite
                number.
        """
        flat = flatten_weights(self.feature_names, self.weights if weights is None else weights)
        scores = np.zeros(len(self))
        # Not a matrix product, which may sum in another order elsewhere in the array.
        with np.errstate(over="ignore", invalid="ignore"):
            for weight, column in zip(flat, self.features.T, strict=True):
                scores += weight * column
            bound = np.abs(scores).sum()  # of the total of a path
        if not math.isfinite(bound):
            raise InputError(f"a score of sentence {self.sentence} is not a finite number")
        return scores

    def best_path(self) -> Path:
        """The path with the highest score, the first of equal ones."""
        scores = self.scores()
        arcs = _lattice.best_path(self.nodes, self.from_node, self.to_node, scores)
        return Path(arcs, math.fsum(scores[arcs]))

    def nbest(self, count: int, *, distinct: bool = False) -> list[Path]:
        """The `count` best paths, exactly, in order; fewer if there are not so many.

        With `distinct`, only the best path of each translation counts.
        """
        offsets, arcs, scores = _lattice.best_paths(
            self.nodes,
            self.from_node,
            self.to_node,
            self.scores(),
            count,
            distinct,
            self.phrase,
            self.word_offsets,
            self.word_ids,
        )
        parts = np.split(arcs, offsets[1:-1])
        return [Path(part, float(score)) for part, score in zip(parts, scores, strict=False)]

    def prune(self, *, beam: float | None = None, density: float | None = None) -> "Lattice":
        """The lattice without the arcs that only worse paths use.

        Args:
            beam: keep an arc if a path through it scores at most this much below the best one.
            density: keep about this many arcs for each word of the best path, those on the best
                paths; paths are kept whole.

        Raises:
            InputError: a beam below 0, or a density of 0 or below.
        """
        if beam is not None and not beam >= 0:
            raise InputError(f"a beam of {beam}", hint="at least 0")
        if density is not None and not density > 0:
            raise InputError(f"a density of {density}", hint="above 0")
        scores = self.scores()
        most = len(self)
        if density is not None:
            best = self.phrase[self.best_path().arcs]
            words = int((self.word_offsets[best + 1] - self.word_offsets[best]).sum())
            most = round(min(most, density * max(words, 1)))
        limit = math.inf if beam is None else beam
        kept = _lattice.prune(self.nodes, self.from_node, self.to_node, scores, limit, most)
        return self._part(np.flatnonzero(kept).astype(np.int32))

    def log10_paths(self) -> float:
        """The number of paths, as a power of ten."""
        none = np.zeros(len(self))
        paths = _lattice.log_sum(self.nodes, self.from_node, self.to_node, none)
        return paths / math.log(10)

    def with_weights(self, weights: Weights) -> "Lattice":
        """The lattice with the weights of some or all features replaced.

        Raises:
            InputError: a label that the lattice lacks, or a wrong number of weights.
        """
        for label in weights:
            if label not in self.weights:
                have = ", ".join(self.weights)
                raise InputError(f"the lattice has no feature {label}", hint=f"it has {have}")
        weights = {**self.weights, **weights}
        flatten_weights(self.feature_names, weights)
        return replace(self, weights=weights)

    def arrays(self) -> _lattice.Arrays:
        """A copy for the compiled writers."""
        return _lattice.make(
            self.sentence,
            self.source,
            self.nodes,
            self.from_node,
            self.to_node,
            self.phrase,
            self.features,
            self.word_offsets,
            self.word_ids,
            self.spans,
            self.point_offsets,
            self.points,
        )

    def _part(self, arcs: NDArray[np.int32]) -> "Lattice":
        """The lattice of some arcs and their phrases."""
        starts, ends = self.from_node[arcs], self.to_node[arcs]
        order, place, nodes = arrange(self.nodes, starts, ends, 0, self.nodes - 1)
        used, phrase = np.unique(self.phrase[arcs[order]], return_inverse=True)
        words, word_offsets = take_parts(self.word_offsets, used)
        points, point_offsets = take_parts(self.point_offsets, used)
        return replace(
            self,
            nodes=nodes,
            from_node=place[starts[order]],
            to_node=place[ends[order]],
            phrase=phrase.astype(np.int32),
            features=self.features[arcs[order]],
            word_offsets=word_offsets,
            word_ids=self.word_ids[words],
            spans=self.spans[used],
            point_offsets=point_offsets,
            points=self.points[points],
        )


def arrange(
    nodes: int, starts: NDArray[np.int32], ends: NDArray[np.int32], start: int, end: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """Trim a graph to its paths from `start` to `end` and sort it topologically.

    Arcs (A,) lead from the nodes in `starts` to those in `ends`, paths from `start` to `end`.

    Returns:
        arcs: kept ones, in their new order.
        place: (nodes,) new number of each node, -1 for removed ones.
        nodes: number of nodes left.

    Raises:
        InputError: no path leads to the end, or there is a cycle.
    """
    cyclic, place, arcs, left = _lattice.arrange(nodes, starts, ends, start, end)
    if cyclic:
        raise InputError("the lattice has a cycle")
    if left == 0:
        raise InputError("no path of the lattice leads from its start to its end")
    return arcs, place, left


def tunable_features(names: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Labels and widths of the features in n-best lists, whose weights tuning changes.

    As in Moses, the penalty of unknown words is not among them: all translations have equally many.
    """
    return [(label, width) for label, width in names if not is_fixed(label)]


def tunable_columns(names: Sequence[tuple[str, int]]) -> NDArray[np.bool_]:
    """Mask (F,) of the feature values of `tunable_features`."""
    return np.array([not is_fixed(label) for label, width in names for _ in range(width)], bool)


def is_fixed(label: str) -> bool:
    """Whether tuning leaves the weight of a feature unchanged, as in Moses."""
    return label.startswith("UnknownWordPenalty")


def _within(ids: NDArray[np.int32], size: int) -> bool:
    return len(ids) == 0 or (int(ids.min()) >= 0 and int(ids.max()) < size)


def _is_offsets(offsets: NDArray[np.int64], count: int, size: int) -> bool:
    return (
        offsets.shape == (count + 1,)
        and offsets[0] == 0
        and offsets[-1] == size
        and bool((np.diff(offsets) >= 0).all())
    )


def take_parts(
    offsets: NDArray[np.int64], parts: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices of the elements of some parts, and the parts' offsets among them."""
    lengths = offsets[parts + 1] - offsets[parts]
    new = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    places = np.arange(new[-1]) + np.repeat(offsets[parts] - new[:-1], lengths)
    return places, new
