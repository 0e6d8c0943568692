"""Lattices that are rescored together: joined arrays, and scores of models level by level.

Two things are called states: those into which a node of a lattice is split, rows of `NodeStates`,
and a model's memory of the words so far, which only its `Stepper` can read ("model states"). Each
state of a node has one row of the model states of each model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.lattice import Lattice
from nlmt.lm.protocol import SourcePositions, Stepper
from nlmt.rescoring._states import NodeStates
from nlmt.rescoring.known import Ragged

# States after which words are scored at once.
BATCH_STATES = 2048


@dataclass(frozen=True, eq=False)
class JoinedLattices:
    """Several lattices as one disconnected graph.

    Attributes:
        first_node: (lattices + 1,).
        from_node, to_node, phrase: (A,) as in `Lattice`.
        first_arc: (lattices + 1,).
        word_offsets: (P + 1,).
        words: the words of all phrases, numbered by one vocabulary.
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
    """Join lattices; `vocabularies` have the joint id of each word of each lattice."""

    def starts(counts: Sequence[int]) -> NDArray[np.int64]:
        return np.cumsum([0, *counts], dtype=np.int64)

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
class LatticeModel:
    """One of the models with which a window of lattices is rescored.

    Attributes:
        label: of its feature.
        stepper: its interface word by word.
        ids: the model's id of each word of the joint vocabulary.
        source: words of the lattices' source sentences as the model numbers them; None for a model
            that is not conditioned on them.
        places: the positions that the model takes of a word, in rows that the search knows by their
            numbers; None: it knows the positions.
    """

    label: str
    stepper: Stepper[Any]
    ids: NDArray[np.int32]
    source: Ragged | None
    places: NDArray[np.int32] | None

    def source_positions(
        self, lattices: NDArray[np.int32], positions: NDArray[np.int32]
    ) -> SourcePositions | None:
        """Positions of words in the source, given those of the search, -1 where none is needed.

        None for a model that is not conditioned on the source.
        """
        if self.source is None:
            return None
        places = np.maximum(positions, 0) if self.places is None else self.places[positions]
        return SourcePositions(*self.source, lattices, places)


class LevelSearch:
    """Goes through the levels of the lattices; keeps the model states that later levels need.

    Attributes:
        requests: words and sentence ends requested from each model.
        largest_states: the largest number of states whose model states were in memory at once.
    """

    def __init__(self, states: NodeStates, models: Sequence[LatticeModel]) -> None:
        """Prepare a search, which begins at the first level."""
        self.requests = 0
        self.largest_states = 0
        self._states = states
        self._models = models
        self._first = [0]  # state of each level
        self._model_states: dict[int, list[Any]] = {}  # of each model, by level

    def run(self) -> None:
        """Compute all states.

        Raises:
            InputError: a score that is not finite.
        """
        for level in range(self._states.levels):
            parents, offsets, words, positions = self._states.choose(level)
            self._first.append(len(self._states))
            self._model_states[level] = self._after(parents, offsets, words, positions)
            known = list(self._model_states)
            for past in [past for past in known if self._states.last_use(past) <= level]:
                del self._model_states[past]
                self._states.forget(past)
            if level in self._model_states:
                for first in range(self._first[-2], self._first[-1], BATCH_STATES):
                    self._score(level, first, min(first + BATCH_STATES, self._first[-1]))
            held = sum(self._first[some + 1] - self._first[some] for some in self._model_states)
            self.largest_states = max(self.largest_states, held)

    def _after(
        self,
        parents: NDArray[np.int64],
        offsets: NDArray[np.int64],
        words: NDArray[np.int32],
        positions: NDArray[np.int32],
    ) -> list[Any]:
        """The model states of new states: their parents' ones, advanced by some words."""
        count = len(parents)
        if not count or parents[0] < 0:  # the first level, as a whole
            return [model.stepper.start(count) for model in self._models]
        lattices = self._states.lattices(self._first[-2])
        levels = np.searchsorted(self._first, parents, side="right") - 1
        order = np.argsort(levels, kind="stable")
        lengths = np.diff(offsets)
        results = []
        for number, model in enumerate(self._models):
            stepper = model.stepper
            parts = []
            for level in np.unique(levels).tolist():
                rows = parents[levels == level] - self._first[level]
                parts.append(stepper.take(self._model_states[level][number], rows))
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
                source = model.source_positions(lattices[members], positions[at])
                states = stepper.advance(states, rows, model.ids[words[at]], source)
            place = np.argsort(np.concatenate(finished), kind="stable")
            results.append(stepper.take(stepper.join(done), place))
        return results

    def _score(self, level: int, first: int, last: int) -> None:
        """Score all words that may follow states [first, last) of a level."""
        before = self._model_states[level]
        shift = first - self._first[level]
        length = 1
        while True:
            rows, words, positions, inner, lattices = self._states.requests(first, last, length)
            if not len(rows):
                return
            rows = rows + shift
            scores = np.empty((len(self._models), len(rows)))
            for model, states, row in zip(self._models, before, scores, strict=True):
                source = model.source_positions(lattices, positions)
                row[:] = model.stepper.score(states, rows, model.ids[words], source)
                if not np.isfinite(row).all():
                    raise InputError(
                        f"{model.label} gives a score that is not finite",
                        hint="the model is damaged, or its training diverged",
                    )
            self._states.set_scores(first, last, length, scores)
            self.requests += len(rows)
            on = inner != 0
            before = [
                model.stepper.advance(
                    states,
                    rows[on],
                    model.ids[words[on]],
                    model.source_positions(lattices[on], positions[on]),
                )
                for model, states in zip(self._models, before, strict=True)
                if on.any()
            ]
            shift, length = 0, length + 1
