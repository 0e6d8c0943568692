"""Batch MIRA (Cherry and Foster 2012): large margins between good and bad hypotheses.

On n-best lists these are hypotheses of the list. On lattices, hope and fear are found among all
paths of each lattice by dynamic programming over nodes and n-grams, with a linear approximation of
BLEU (Tromble et al. 2008); paths of earlier decoder runs compete with them.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.errors import InputError
from nlmt.evaluation import BLEU
from nlmt.io.lattice import Lattice, Path
from nlmt.io.nbest import NbestList
from nlmt.settings import Settings, setting
from nlmt.tuning import _mert
from nlmt.tuning.folding import Folding, fold
from nlmt.tuning.lattice_paths import ListBuilder, check_starts, common_features, tunable_values
from nlmt.tuning.objective import DEFAULT_OBJECTIVE, Objective
from nlmt.tuning.optimise import mean_weights, normalise, seed_of_run
from nlmt.tuning.pool import Pool
from nlmt.tuning.tuner import Lattices, LatticeTuner, ListTuner, Search, TunedWeights


class MiraOptions(Settings):
    """Options of MIRA; the defaults are Cherry and Foster's (2012)."""

    largest_step: float = setting(
        0.01, "C: limit on an update; larger values fit single sentences more tightly.", gt=0
    )
    decay: float = setting(
        0.999,
        "Share of its weight that a sentence of the pseudo-document keeps with each following one.",
        ge=0,
        lt=1,
    )
    epochs: int = setting(60, "Epochs over all sentences.", ge=1)


class MiraTuner(ListTuner[MiraOptions]):
    """MIRA on n-best lists."""

    summary = "k-best batch MIRA (Cherry and Foster 2012)"
    options_type = MiraOptions
    # Its weights are never worse on the pool than those it starts from.
    exact = True

    @override
    def find(
        self, pool: Pool, starts: Sequence[NDArray[np.float64]], search: Search
    ) -> NDArray[np.float64]:
        """The average after the epoch whose average is best on the whole pool.

        The scale of the start matters; the seed is that of the order of the sentences.
        """
        start, options = np.ascontiguousarray(starts[0], np.float64), self.options
        return pool.lists().mira(
            start, search.seed, options.largest_step, options.decay, options.epochs
        )


class LatticeMiraTuner(LatticeTuner[MiraOptions]):
    """MIRA on lattices."""

    summary = "MIRA over all paths of lattices (Cherry and Foster 2012); for BLEU"
    options_type = MiraOptions
    exact = True

    @override
    def find(
        self,
        lattices: Lattices,
        references: Sequence[Sequence[str]],
        starts: Sequence[NDArray[np.float64]],
        search: Search,
        *,
        known: Pool | None = None,
    ) -> tuple[TunedWeights, Pool]:
        """Find weights on lattices, all of which are in memory; return hope and fear paths, too.

        The scale of the start matters; the seed is that of the order of the sentences.
        """
        if search.objective != DEFAULT_OBJECTIVE:
            raise InputError(
                f"MIRA on lattices tunes bleu, not {search.objective.name}",
                hint="use lattice-mert, or a method for n-best lists",
            )
        names = common_features(lattices, references)
        start = check_starts(names, starts, search.left_out)[0]
        held = list(lattices)
        before = known or _empty_pool(names, search.objective)
        folding = fold(before, search.tuned, start, left_out=search.left_out)
        lists, given = folding.pool.lists(), _compile(held, references, folding)

        def learn(begin: NDArray[np.float64], run: int, epochs: int) -> Any:
            seed, options = seed_of_run(search.seed, run), self.options
            return given.mira(lists, begin, seed, options.largest_step, options.decay, epochs)

        learned = [
            learn(folding.shrink(start), run, self.options.epochs) for run in range(search.runs)
        ]
        mean = mean_weights([weights for weights, *_ in learned])
        value = learned[0][1] if search.runs == 1 else learn(mean, 0, 0)[1]
        paths = _list_of_paths(held, [paths for _, _, *paths in learned])
        pool = search.pool(paths, references, known)
        return TunedWeights(normalise(folding.expand(mean)), value), pool


def _empty_pool(names: Sequence[tuple[str, int]], objective: Objective) -> Pool:
    width = sum(count for _, count in names)
    statistics = np.zeros((0, objective.metric.width), np.int32)
    return Pool(np.zeros(0, np.int32), np.zeros((0, width)), statistics, list(names), objective)


def _compile(
    lattices: Sequence[Lattice], references: Sequence[Sequence[str]], folding: Folding
) -> _mert.Lattices:
    """The lattices with the features of the folded pool, as the compiled learner takes them."""
    lists = {int(number): i for i, number in enumerate(np.unique(folding.pool.sentence))}
    vocabulary: dict[str, int] = {}
    compiled = _mert.Lattices()
    spelling: Sequence[str] | None = None
    places = np.zeros(0, np.int32)
    for lattice in lattices:
        if lattice.words is not spelling:  # lattices of one file share their vocabulary
            spelling = lattice.words
            places = _numbers(spelling, vocabulary)
        words = [BLEU.prepare(lines[lattice.sentence]).split() for lines in references]
        compiled.add(
            lattice.nodes, lattice.from_node, lattice.to_node, lattice.phrase,
            lattice.word_offsets, places[lattice.word_ids],
            folding.project(tunable_values(lattice)),
            [_numbers(line, vocabulary).tolist() for line in words],
            lists.get(lattice.sentence, -1),
        )  # fmt: skip
    return compiled


def _numbers(words: Iterable[str], vocabulary: dict[str, int]) -> NDArray[np.int32]:
    """Numbers of words as BLEU compares them; new ones are added to the vocabulary."""
    prepared = (BLEU.prepare(word) for word in words)
    return np.array([vocabulary.setdefault(w, len(vocabulary)) for w in prepared], np.int32)


def _list_of_paths(
    lattices: Sequence[Lattice], runs: Sequence[Sequence[NDArray[Any]]]
) -> NbestList:
    """The paths of all runs: numbers of lattices, where the arcs of each path begin, arcs."""
    builder = ListBuilder()
    for number, lattice in enumerate(lattices):
        columns = tunable_values(lattice).astype(np.float64)
        paths = [
            Path(arcs[offsets[i] : offsets[i + 1]], 0.0)
            for numbers, offsets, arcs in runs
            for i in np.flatnonzero(numbers == number)
        ]
        sums = np.array([columns[path.arcs].sum(axis=0) for path in paths])
        builder.add(lattice, (sums, *lattice.words_of(paths)))
    return builder.nbest()
