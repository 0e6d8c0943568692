"""Paths, sums and pruning of lattices against all their paths."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from lattices import all_paths, contents, path_alignment, path_features, random_lattice

from nlmt.errors import InputError
from nlmt.io.lattice import Lattice, arrange

SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_best_paths_are_those_of_all(seed: int) -> None:
    lattice = random_lattice(seed)
    paths = all_paths(lattice)
    assert 10 ** lattice.log10_paths() == pytest.approx(len(paths))
    assert lattice.best_path().score == pytest.approx(paths[0].score)
    for count in (1, 5, 1000):
        found = lattice.nbest(count)
        assert [p.score for p in found] == pytest.approx([p.score for p in paths[:count]])
    assert {tuple(p.arcs) for p in found} == {tuple(p.arcs) for p in paths}
    best: dict[str, float] = {}
    for path in paths:
        best.setdefault(lattice.text(path), path.score)
    distinct = lattice.nbest(1000, distinct=True)
    assert {lattice.text(p): p.score for p in distinct} == pytest.approx(best)
    assert len(distinct) == len(best)
    ids, offsets = lattice.words_of(distinct)
    words = [lattice.words[word] for word in ids]
    texts = [" ".join(words[begin:end]) for begin, end in pairwise(offsets)]
    assert texts == [lattice.text(path) for path in distinct]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_beam_keeps_what_good_paths_use(seed: int) -> None:
    lattice = random_lattice(seed)
    paths = all_paths(lattice)

    def said(one: Lattice) -> set[tuple[object, ...]]:
        return {
            (one.text(path), path_alignment(one, path), *path_features(one, path))
            for path in all_paths(one)
        }

    for beam in (0.0, 0.8, 100.0):
        good = {a for p in paths for a in p.arcs.tolist() if p.score > paths[0].score - beam - 1e-6}
        pruned = lattice.prune(beam=beam)
        assert len(pruned) == len(good)
        assert len({*map(tuple, lattice.features[list(good)].tolist())}) == len(
            {*map(tuple, pruned.features.tolist())}
        )
        assert said(pruned) <= said(lattice)
        assert pruned.best_path().score == pytest.approx(paths[0].score)
        inside = [p.score for p in all_paths(pruned)]
        assert inside[0] == pytest.approx(paths[0].score)


def through(lattice: Lattice) -> list[float]:
    """The score of the best path through each arc."""
    scores = lattice.scores()
    ahead = {0: 0.0}
    rest = {lattice.nodes - 1: 0.0}
    arcs = list(zip(lattice.from_node.tolist(), lattice.to_node.tolist(), scores, strict=True))
    for start, end, score in arcs:
        ahead[end] = max(ahead.get(end, -math.inf), ahead[start] + score)
    for start, end, score in reversed(arcs):
        rest[start] = max(rest.get(start, -math.inf), rest[end] + score)
    return [ahead[start] + score + rest[end] for start, end, score in arcs]


def test_density_counts_arcs_for_each_word_of_the_best_path() -> None:
    lattice = random_lattice(3, nodes=30, arcs=400)
    words = len(lattice.text(lattice.best_path()).split())
    pruned = lattice.prune(density=5)
    assert 5 * words <= len(pruned) <= 5 * words + 30
    assert lattice.text(lattice.best_path()) == pruned.text(pruned.best_path())
    assert sorted(through(pruned)) == pytest.approx(sorted(through(lattice))[-len(pruned) :])
    assert len(lattice.prune(density=0.001)) == len(lattice.best_path().arcs)


def test_arrange_trims_and_sorts() -> None:
    # 4 -> 2 -> 0 is the way; 3 leads nowhere, nothing leads to 1.
    starts = np.array([2, 4, 4, 1, 4], np.int32)
    ends = np.array([0, 2, 3, 0, 0], np.int32)
    arcs, place, nodes = arrange(5, starts, ends, 4, 0)
    assert nodes == 3
    assert place.tolist() == [2, -1, 1, -1, 0]
    assert arcs.tolist() == [1, 4, 0]
    with pytest.raises(InputError, match="no path"):
        arrange(5, starts, ends, 3, 0)
    with pytest.raises(InputError, match="cycle"):
        arrange(3, np.array([0, 1, 1], np.int32), np.array([1, 0, 2], np.int32), 0, 2)


def test_a_lattice_of_one_node_is_the_empty_translation() -> None:
    lattice = random_lattice(0)
    none = np.zeros(0, np.int32)
    empty = replace(
        lattice, nodes=1, from_node=none, to_node=none, phrase=none, features=lattice.features[:0]
    )
    assert empty.best_path().score == 0
    assert empty.text(empty.best_path()) == ""
    assert [empty.text(path) for path in empty.nbest(3)] == [""]
    assert contents(empty.prune(beam=1, density=1)) == contents(empty)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nodes": 7}, "all nodes"),
        ({"to_node": "from_node"}, "lead upwards"),
        ({"phrase": "word_ids"}, "an arc"),
        ({"features": np.zeros((0, 0), np.float32)}, "an arc"),
        ({"spans": np.zeros((0, 2), np.int32)}, "phrases that exist"),
        ({"words": []}, "words that exist"),
        ({"source": np.array([7], np.int32)}, "words that exist"),
        ({"source": np.array([-1], np.int32)}, "words that exist"),
        ({"word_offsets": "point_offsets"}, "offsets"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: dict[str, object], message: str) -> None:
    lattice = random_lattice(1)
    with pytest.raises(ValueError, match=message):
        replace(
            lattice,
            **{k: getattr(lattice, v) if isinstance(v, str) else v for k, v in change.items()},  # type: ignore[arg-type]
        )
    with pytest.raises(InputError, match="no weight for the feature LM0"):
        lattice.scores({"TM0": [1, 2]})
