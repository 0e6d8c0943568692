"""Lattice rescoring with models of any length of memory (Auli, Galley, Quirk and Zweig 2013).

Every node is split into at most k states, each with its own history of the models. States of a node
are merged if they agree in all that the models remember: the last words for n-gram models, for
which the search is exact without a bound on k, and all words for recurrent ones. Every path of the
result has exactly the models' scores of its translation.
"""

import logging
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.io.lattice import Lattice, arrange
from nlmt.io.weights import Weights
from nlmt.kinds import KINDS, load_stepping_models
from nlmt.lm.joint_vocabulary import JointVocabulary
from nlmt.lm.protocol import SteppingModel, is_conditioned
from nlmt.rescoring._states import NodeStates
from nlmt.rescoring.known import Ragged
from nlmt.rescoring.lattice_window import JoinedLattices, LatticeModel, LevelSearch, join_lattices
from nlmt.rescoring.phrase_positions import Places
from nlmt.steps import counted
from nlmt.vocabulary import split_lines

logger = logging.getLogger(__name__)

# Approximate number of states of the lattices that are rescored together: more of them make larger
# products of matrices, and need more memory.
WINDOW_STATES = 100_000
# States per node assumed for the size of a window where they are not bounded.
TYPICAL_STATES = 4


@dataclass
class LatticeCounts:
    """Counts of lattice rescoring so far.

    `requests` are those to each model; `largest_states` is the largest number of states whose model
    states were in memory at once.
    """

    lattices: int = 0
    states: int = 0
    requests: int = 0
    largest_states: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        """One line for the terminal."""
        return (
            f"{self.lattices:,} lattices, {self.states:,} states, {self.requests:,} requests, "
            f"at most {self.largest_states:,} in memory, {self.seconds:.1f} s"
        )


class LatticeRescorer:
    """Adds the scores of models to lattices, as features of their own."""

    def __init__(
        self,
        models: Mapping[str, SteppingModel],
        weights: Weights,
        *,
        states: int | None = None,
        recombine: bool = False,
        references: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Prepare for models.

        Args:
            models: models by the label of their feature; a label that the lattices have is
                replaced.
            weights: one for each model's label, and those of other features that differ from the
                lattices' own. States are ranked by the weighted sum of all features.
            states: k, the largest number of states kept at a node; None: all, which is exact, but
                feasible only for n-gram models.
            recombine: whether an arc to a state that is not kept leads to the best one of the node,
                instead of being dropped. Words after it have their scores after that state; the
                best path is the same. Thus even few states leave many paths for tuning.
            references: of each input sentence, by the label of a model that sees the reference
                instead of the source; such a model needs no alignment.

        Raises:
            InputError: no model, a missing weight, or no bound on the states of a recurrent model.
        """
        if not models:
            raise InputError("no model for rescoring lattices")
        for label in models:
            if len(weights.get(label, ())) != 1:
                hint = "--weights or --model-weight: states are kept by weighted scores"
                raise InputError(f"no weight for {label}", hint=hint)
        orders = [model.order for model in models.values()]
        bounded = [order for order in orders if order is not None]
        if states is None and len(bounded) < len(orders):
            what = "a model that remembers all words has as many states as there are paths"
            raise InputError(what, hint="give a bound on the states per node, such as 10")
        if states is not None and states < 1:
            raise InputError(f"{states} states per node", hint="at least 1")
        self.counts = LatticeCounts()
        self._models = dict(models)
        self._weights = dict(weights)
        self._references = dict(references or {})
        self._most = states or 0
        self._recombine = recombine
        self._context = max(bounded) - 1 if len(bounded) == len(orders) else -1
        self._window = max(1, WINDOW_STATES // (states or TYPICAL_STATES))
        self._steppers = [model.stepper() for model in models.values()]
        self._vocabulary = JointVocabulary(list(models.values()))
        self._end = self._vocabulary.add(tuple(stepper.end for stepper in self._steppers))
        self._words: Sequence[str] = ()  # of the last lattice; lattices of a file share them
        self._ids = np.zeros(0, np.int32)
        self._source_ids: dict[str, NDArray[np.int32]] = {}  # by label

    def rescore(self, lattices: Iterable[Lattice]) -> Iterator[Lattice]:
        """The lattices with their nodes split into states, and with the models' features last.

        The results have the lattices' weights, overridden by the given ones. Lattices are read when
        they are needed, and only some of them are in memory at once.

        Raises:
            InputError: a lattice that lacks what a model needs, unknown weights, a score that is
                not finite.
        """
        window: list[Lattice] = []
        nodes = 0
        for lattice in counted(lattices, "rescore", unit="lattices"):
            window.append(_with_arc(lattice))
            nodes += lattice.nodes
            if nodes >= self._window:
                yield from self._rescore(window)
                window, nodes = [], 0
        if window:
            yield from self._rescore(window)

    def _rescore(self, window: list[Lattice]) -> Iterator[Lattice]:
        started = time.perf_counter()
        joined = join_lattices(window, [self._lookup(lattice.words) for lattice in window])
        places = Places.of(window, self._models.values())
        states = NodeStates(
            joined.first_node,
            joined.from_node,
            joined.to_node,
            joined.phrase,
            np.concatenate([self._known_scores(lattice) for lattice in window]),
            joined.word_offsets,
            joined.words,
            places.words,
            places.ends,
            self._end,
            self._most,
            self._context,
            self._recombine,
            [float(self._weights[label][0]) for label in self._models],
        )
        search = LevelSearch(states, self._lattice_models(window, places))
        search.run()
        counts = self.counts
        counts.lattices += len(window)
        counts.states += len(states)
        counts.requests += search.requests
        counts.largest_states = max(counts.largest_states, search.largest_states)
        counts.seconds += time.perf_counter() - started
        logger.info("%s", counts)
        return self._split(window, joined, states)

    def _lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        if self._words is not words:
            self._words, self._ids = words, self._vocabulary.lookup(words)
            self._source_ids = {
                label: model.lookup_source(words)
                for label, model in self._models.items()
                if is_conditioned(model)
            }
        return self._ids

    def _lattice_models(self, window: Sequence[Lattice], places: Places) -> list[LatticeModel]:
        models, ids = self._models.items(), self._vocabulary.of_models()
        return [
            LatticeModel(label, stepper, own, self._sources(label, window), places.seen_by(model))
            for (label, model), stepper, own in zip(models, self._steppers, ids, strict=True)
        ]

    def _sources(self, label: str, window: Sequence[Lattice]) -> Ragged | None:
        """The source sentences as a model numbers them; None if it is not conditioned on them."""
        model = self._models[label]
        if not is_conditioned(model):
            return None
        if label in self._references:
            words, offsets = self._seen_references(label, window)
            return model.lookup_source(words), offsets
        parts = []
        for lattice in window:
            if not len(lattice.source) and len(lattice.word_ids):
                raise InputError(
                    f"the lattice of sentence {lattice.sentence} has no source words, which "
                    f"{label} needs",
                    hint="give the source text",
                )
            self._lookup(lattice.words)
            parts.append(self._source_ids[label][lattice.source])
        return np.concatenate(parts), np.cumsum([0, *map(len, parts)], dtype=np.int64)

    def _seen_references(
        self, label: str, window: Sequence[Lattice]
    ) -> tuple[list[str], NDArray[np.int64]]:
        """The references of the lattices' sentences, for a model that sees them."""
        lines = self._references[label]
        missing = [lattice.sentence for lattice in window if lattice.sentence >= len(lines)]
        if missing:
            what = f"{len(lines)} references, but a lattice of sentence {missing[0]}"
            raise InputError(what, hint="give the references of the text that was translated")
        return split_lines(lines[lattice.sentence] for lattice in window)

    def _known_scores(self, lattice: Lattice) -> NDArray[np.float64]:
        """Weighted sum (A,) of the arcs' features, without the models' features."""
        replaced = {label: [0.0] for label in self._models}
        return lattice.scores({**lattice.weights, **self._weights, **replaced})

    def _split(
        self, window: Sequence[Lattice], joined: JoinedLattices, states: NodeStates
    ) -> Iterator[Lattice]:
        """The lattices of the states."""
        lattice_of = states.lattices(0)
        starts, ends, arcs, scores = states.take_arcs()
        values = scores.reshape(-1, len(self._models))
        order = np.argsort(lattice_of[starts], kind="stable")
        borders = np.searchsorted(lattice_of[starts][order], np.arange(len(window) + 1))
        by_lattice = np.argsort(lattice_of, kind="stable")
        firsts = np.searchsorted(lattice_of[by_lattice], np.arange(len(window) + 1))
        place = np.empty(len(lattice_of), np.int32)  # index of each state in its lattice
        place[by_lattice] = np.arange(len(lattice_of))
        for number, lattice in enumerate(window):
            some = order[borders[number] : borders[number + 1]]
            first, behind = (int(n) for n in firsts[number : number + 2])
            yield self._lattice_of_states(
                lattice,
                behind - first,
                place[starts[some]] - np.int32(first),
                place[ends[some]] - np.int32(first),
                arcs[some] - joined.first_arc[number],
                values[some],
            )

    def _lattice_of_states(
        self,
        lattice: Lattice,
        nodes: int,
        starts: NDArray[np.int32],
        ends: NDArray[np.int32],
        arcs: NDArray[np.int64],
        values: NDArray[np.float32],
    ) -> Lattice:
        """A lattice whose nodes are states, the first its start, the last its end."""
        kept, place, left = arrange(nodes, starts, ends, 0, nodes - 1)
        own = [label not in self._models for label, _ in lattice.feature_names]
        columns = np.repeat(own, [width for _, width in lattice.feature_names])
        old = lattice.features[arcs[kept]][:, columns]
        names = [name for name in lattice.feature_names if name[0] not in self._models]
        names += [(label, 1) for label in self._models]
        weights = {**lattice.weights, **self._weights}
        return replace(
            lattice,
            nodes=left,
            from_node=place[starts[kept]],
            to_node=place[ends[kept]],
            phrase=lattice.phrase[arcs[kept]],
            features=np.hstack([old, values[kept]]),
            feature_names=names,
            weights={label: weights[label] for label, _ in names},
        )


def first_weights(known: Weights, labels: Iterable[str]) -> dict[str, list[float]]:
    """Weights for models before tuning: the mean weight of the decoder's own models."""
    features = tuple(kind.feature for _, kind in KINDS.items())
    own = [w for label, values in known.items() if label.startswith(features) for w in values]
    return {label: [float(np.mean(own)) if own else 1.0] for label in labels}


def open_rescorer(
    models: Mapping[str, Path | str],
    weights: Weights,
    *,
    states: int | None = None,
    recombine: bool = False,
    references: Mapping[str, Path | str] | None = None,
    threads: int = 1,
) -> LatticeRescorer:
    """Make a rescorer with models and references from files.

    Models and references are paths, by the label of a feature; the rest is as in `LatticeRescorer`.

    Raises:
        InputError: as in `load_stepping_models` and `LatticeRescorer`; an unreadable text.
    """
    return LatticeRescorer(
        load_stepping_models(models, threads=threads),
        weights,
        states=states,
        recombine=recombine,
        references={label: list(read_lines(path)) for label, path in (references or {}).items()},
    )


def _with_arc(lattice: Lattice) -> Lattice:
    """The lattice; one of a single node gets an arc without words, to which `</s>` belongs."""
    if lattice.nodes > 1:
        return lattice
    width = sum(width for _, width in lattice.feature_names)
    return replace(
        lattice,
        nodes=2,
        from_node=np.zeros(1, np.int32),
        to_node=np.ones(1, np.int32),
        phrase=np.zeros(1, np.int32),
        features=np.zeros((1, width), np.float32),
        word_offsets=np.zeros(2, np.int64),
        word_ids=np.zeros(0, np.int32),
        spans=np.zeros((1, 2), np.int32),
        point_offsets=np.zeros(2, np.int64),
        points=np.zeros((0, 2), np.int32),
    )
