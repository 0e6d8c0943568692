"""Lattice MERT against n-best MERT on all paths, and its envelope against plain enumeration."""

import sys
from itertools import pairwise
from pathlib import Path as FilePath

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.io.nbest import NbestList
from nlmt.tuning import OBJECTIVES, _mert, lattice_mert, mert, pool_of_nbest
from nlmt.tuning.lattice_mert import winning_paths

sys.path.insert(0, str(FilePath(__file__).parents[1] / "io"))
from lattices import all_paths, random_lattice


def lattices_and_references(seed, count=8):
    lattices = [random_lattice(100 * seed + s, sentence=s) for s in range(count)]
    rng = np.random.default_rng(seed)
    references = []
    for lattice in lattices:
        paths = all_paths(lattice)
        references.append(lattice.text(paths[rng.integers(len(paths))]) or "a")
    return lattices, references


def exhaustive_pool(lattices, references, objective):
    rows = [(lattice, path) for lattice in lattices for path in all_paths(lattice)]
    words = [lattice.text(path).split() for lattice, path in rows]
    vocabulary = sorted({word for row in words for word in row})
    nbest = NbestList(
        np.array([lattice.sentence for lattice, _ in rows], np.int32),
        vocabulary,
        np.array([vocabulary.index(word) for row in words for word in row], np.int32),
        np.cumsum([0, *map(len, words)]).astype(np.int64),
        np.array([lattice.path_features(path) for lattice, path in rows]),
        lattices[0].feature_names,
        np.zeros(len(rows)),
    )
    return pool_of_nbest(nbest, [references], objective=objective)


@pytest.mark.parametrize("seed", range(20))
def test_envelope_holds_all_winners_of_a_line_and_no_others(seed):
    lattice = random_lattice(seed, nodes=7, arcs=16)
    rng = np.random.default_rng(seed)
    point, direction = rng.normal(size=(2, 3))
    arcs, offsets = _mert.lattice_paths(
        lattice.nodes,
        lattice.from_node,
        lattice.to_node,
        lattice.features.astype(np.float64),
        point,
        direction[None],
    )
    found = np.array(
        [lattice.features[arcs[b:e]].astype(float).sum(axis=0) for b, e in pairwise(offsets)]
    )
    every = np.array([lattice.path_features(path) for path in all_paths(lattice)])
    slopes = found @ direction
    assert (np.diff(slopes) > 0).all()
    for x in [-1e6, *np.linspace(-20, 20, 401), 1e6]:
        weights = point + x * direction
        assert (found @ weights).max() == pytest.approx((every @ weights).max(), rel=1e-9)
    crossings = -np.diff(found @ point) / np.diff(slopes)
    assert (np.diff(crossings) >= -1e-9).all()


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(3))
def test_equal_to_nbest_mert_on_all_paths(seed, objective):
    lattices, references = lattices_and_references(seed)
    pool = exhaustive_pool(lattices, references, OBJECTIVES[objective])
    start = np.array([0.5, 0.3, -0.2])
    ours = lattice_mert(
        lattices, [references], [start], objective=OBJECTIVES[objective], restarts=10
    )
    # What it claims holds on all paths, and it is as good as searching all of them.
    assert pool.lists().value(ours.weights) == pytest.approx(ours.value, abs=1e-12)
    theirs = mert(pool, [start], restarts=10)
    assert ours.value >= theirs.value - 0.01
    # No line along a feature is better anywhere, on any path.
    for direction in np.eye(3):
        _, best = pool.lists().line_search(ours.weights, direction)
        assert best <= ours.value + 1e-4


def test_lists_of_winners_are_small():
    lattices, _ = lattices_and_references(5)
    nbest = winning_paths(lattices, [np.array([0.5, 0.3, -0.2])])
    assert len(nbest) < sum(len(all_paths(lattice)) for lattice in lattices)
    assert (np.diff(nbest.sentence) >= 0).all()


def test_bad_lattices_are_named():
    lattices, references = lattices_and_references(1, count=2)
    with pytest.raises(InputError, match="no lattices"):
        lattice_mert([], [references], [np.ones(3)])
    with pytest.raises(InputError, match="two lattices of sentence 1"):
        lattice_mert([*lattices, lattices[1]], [references], [np.ones(3)])
    with pytest.raises(InputError, match="2 weights, but the lattices have 3"):
        lattice_mert(lattices, [references], [np.ones(2)])
    with pytest.raises(ValueError, match="upwards"):
        _mert.lattice_paths(
            2, np.array([1], np.int32), np.array([0], np.int32), np.ones((1, 1)), np.ones(1),
            np.ones((1, 1)),
        )  # fmt: skip
