"""Lattices that are rescored together: joined arrays, and the models' answers level by level."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.lattice import Lattice
from nlmt.lm.protocol import SourcePositions, Stepper
from nlmt.rescoring._items import Items

# Items of which what may follow is scored at the same time.
BATCH_ITEMS = 2048


@dataclass(frozen=True, eq=False)
class JoinedLattices:
    """Several lattices as one that is not connected.

    Attributes:
        first_node: (lattices + 1,).
        from_node, to_node, phrase: (A,) as of `Lattice`.
        first_arc: (lattices + 1,).
        word_offsets: (P + 1,).
        words: the words of all phrases, as one vocabulary numbers them.
    """

    first_node: NDArray[np.int64]
    from_node: NDArray[np.int32]
    to_node: NDArray[np.int32]
    phrase: NDArray[np.int32]
    first_arc: NDArray[np.int64]
    word_offsets: NDArray[np.int64]
    words: NDArray[np.int32]


def join_lattices(
    lattices: Sequence[Lattice], vocabularies: Sequence[NDArray[np.int32]]
) -> JoinedLattices:
    """Put lattices together; the vocabulary of each gives the id of each of its words."""

    def starts(counts: Sequence[int]) -> NDArray[np.int64]:
        return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)

    nodes = starts([lattice.nodes for lattice in lattices])
    phrases = starts([len(lattice.spans) for lattice in lattices])
    words = starts([len(lattice.word_ids) for lattice in lattices])
    pairs = list(zip(lattices, nodes[:-1].astype(np.int32), strict=True))
    return JoinedLattices(
        nodes,
        np.concatenate([lattice.from_node + first for lattice, first in pairs]),
        np.concatenate([lattice.to_node + first for lattice, first in pairs]),
        np.concatenate(
            [a.phrase + np.int32(first) for a, first in zip(lattices, phrases, strict=False)]
        ),
        starts([len(lattice) for lattice in lattices]),
        np.concatenate(
            [[0], *(a.word_offsets[1:] + w for a, w in zip(lattices, words, strict=False))]
        ).astype(np.int64),
        np.concatenate([ids[a.word_ids] for a, ids in zip(lattices, vocabularies, strict=True)]),
    )


@dataclass(frozen=True, eq=False)
class SourceSentences:
    """The source sentences of the lattices, as one model numbers their words."""

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def places(self, of: NDArray[np.int32], position: NDArray[np.int32]) -> SourcePositions:
        """Words that belong there; -1 where no model asks for positions."""
        return SourcePositions(self.ids, self.offsets, of, np.maximum(position, 0))


@dataclass(frozen=True, eq=False)
class Reader:
    """One of the models as the lattices ask it.

    Attributes:
        label: of its feature.
        stepper: what reads.
        ids: its id of each word of the joint vocabulary.
        source: None: it does not ask for it.
    """

    label: str
    stepper: Stepper[Any]
    ids: NDArray[np.int32]
    source: SourceSentences | None

    def places(
        self, lattices: NDArray[np.int32], positions: NDArray[np.int32]
    ) -> SourcePositions | None:
        """Where words belong in the source, if the model wants to know."""
        return None if self.source is None else self.source.places(lattices, positions)


class LevelSearch:
    """Goes through the levels of the items; keeps the states that later levels may ask for.

    Attributes:
        requests: words and sentence ends that each model was asked for.
        largest_states: items whose states were in memory at the same time, at most.
    """

    def __init__(self, items: Items, readers: Sequence[Reader]) -> None:
        self.requests = 0
        self.largest_states = 0
        self._items = items
        self._readers = readers
        self._first = [0]  # item of each level
        self._states: dict[int, list[Any]] = {}  # of each level, one of each reader

    def run(self) -> None:
        """Make all items.

        Raises:
            InputError: a score that is not finite.
        """
        for level in range(self._items.levels):
            parents, offsets, words, positions = self._items.choose(level)
            self._first.append(len(self._items))
            self._states[level] = self._after(parents, offsets, words, positions)
            for past in [past for past in self._states if self._items.last_use(past) <= level]:
                del self._states[past]
                self._items.forget(past)
            if level in self._states:
                for first in range(self._first[-2], self._first[-1], BATCH_ITEMS):
                    self._score(level, first, min(first + BATCH_ITEMS, self._first[-1]))
            held = sum(self._first[some + 1] - self._first[some] for some in self._states)
            self.largest_states = max(self.largest_states, held)

    def _after(
        self,
        parents: NDArray[np.int64],
        offsets: NDArray[np.int64],
        words: NDArray[np.int32],
        positions: NDArray[np.int32],
    ) -> list[Any]:
        """The states of new items: those of their parents, and some words after them."""
        count = len(parents)
        if not count or parents[0] < 0:  # the first level, as a whole
            return [reader.stepper.start(count) for reader in self._readers]
        lattices = self._items.lattices()[self._first[-2] : self._first[-1]]
        levels = np.searchsorted(self._first, parents, side="right") - 1
        order = np.argsort(levels, kind="stable")
        lengths = np.diff(offsets)
        results = []
        for number, reader in enumerate(self._readers):
            stepper = reader.stepper
            parts = []
            for level in np.unique(levels).tolist():
                rows = parents[levels == level] - self._first[level]
                parts.append(stepper.take(self._states[level][number], rows))
            states, members = stepper.join(parts), order
            done, finished = [], []
            for length in range(int(lengths.max()) + 1):
                ends = lengths[members] == length
                if ends.any():
                    done.append(stepper.take(states, np.flatnonzero(ends)))
                    finished.append(members[ends])
                rows = np.flatnonzero(~ends)
                if not len(rows):
                    break
                members = members[rows]
                at = offsets[members] + length
                source = reader.places(lattices[members], positions[at])
                states = stepper.advance(states, rows, reader.ids[words[at]], source)
            place = np.argsort(np.concatenate(finished), kind="stable")
            results.append(stepper.take(stepper.join(done), place))
        return results

    def _score(self, level: int, first: int, last: int) -> None:
        """Ask for all words that may follow items [first, last) of a level."""
        before = self._states[level]
        shift = first - self._first[level]
        length = 1
        while True:
            rows, words, positions, inner, lattices = self._items.requests(first, last, length)
            if not len(rows):
                return
            rows = rows + shift
            scores = np.empty((len(self._readers), len(rows)))
            for reader, states, row in zip(self._readers, before, scores, strict=True):
                source = reader.places(lattices, positions)
                row[:] = reader.stepper.score(states, rows, reader.ids[words], source)
                if not np.isfinite(row).all():
                    raise InputError(
                        f"{reader.label} gives a score that is not finite",
                        hint="the model is damaged, or its training diverged",
                    )
            self._items.set_scores(first, last, length, scores)
            self.requests += len(rows)
            on = inner != 0
            before = [
                reader.stepper.advance(
                    states,
                    rows[on],
                    reader.ids[words[on]],
                    reader.places(lattices[on], positions[on]),
                )
                for reader, states in zip(self._readers, before, strict=True)
                if on.any()
            ]
            shift, length = 0, length + 1
