"""Construction of a lattice arc by arc, for readers of other tools' formats."""

from collections.abc import Sequence

import numpy as np

from nlmt.io.lattice import Lattice, arrange
from nlmt.io.weights import Weights

Span = tuple[int, int]


class LatticeBuilder:
    """Collects the arcs of one lattice, whose nodes are arbitrary numbers from 0."""

    def __init__(self, sentence: int, weights: Weights, source: Sequence[str] = ()) -> None:
        """Start a lattice; see `Lattice` for the arguments. Features are those of the weights."""
        self._sentence = sentence
        self._names = [(label, len(values)) for label, values in weights.items()]
        self._weights = weights
        self._ids: dict[str, int] = {}
        self._source = [self._id(word) for word in source]
        self._phrases: dict[tuple[tuple[int, ...], Span], int] = {}
        self._arcs: list[tuple[int, int, int]] = []
        self._values: list[Sequence[float]] = []

    def add(
        self,
        start: int,
        end: int,
        words: Sequence[str],
        values: Sequence[float],
        *,
        span: Span = (0, 0),
    ) -> None:
        """Add an arc.

        Args:
            start: node where it begins.
            end: node where it ends.
            words: target words.
            values: of its features.
            span: first source word and the one after the last; 0, 0 where unknown.
        """
        key = (tuple([self._id(word) for word in words]), span)
        phrase = self._phrases.setdefault(key, len(self._phrases))
        self._arcs.append((start, end, phrase))
        self._values.append(values)

    def build(self, nodes: int, start: int, end: int) -> Lattice:
        """The lattice, trimmed and with nodes in topological order.

        Raises:
            InputError: a cycle, or no path from `start` to `end`.
        """
        table = np.array(self._arcs, np.int32).reshape(-1, 3)
        starts, ends, phrase = (np.ascontiguousarray(column) for column in table.T)
        arcs, place, left = arrange(nodes, starts, ends, start, end)
        width = sum(width for _, width in self._names)
        values = np.array(self._values, np.float32).reshape(-1, width)
        words = [words for words, _ in self._phrases]
        return Lattice(
            sentence=self._sentence,
            words=list(self._ids),
            source=np.array(self._source, np.int32),
            nodes=left,
            from_node=place[starts[arcs]],
            to_node=place[ends[arcs]],
            phrase=phrase[arcs],
            features=values[arcs],
            feature_names=self._names,
            weights=self._weights,
            word_offsets=np.cumsum([0, *map(len, words)]),
            word_ids=np.array([word for some in words for word in some], np.int32),
            spans=np.array([span for _, span in self._phrases], np.int32).reshape(-1, 2),
            point_offsets=np.zeros(len(words) + 1, np.int64),
            points=np.zeros((0, 2), np.int32),
        )

    def _id(self, word: str) -> int:
        return self._ids.setdefault(word, len(self._ids))
