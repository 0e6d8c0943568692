"""Lattice MERT against n-best MERT on all paths, and its envelope against plain enumeration."""

from dataclasses import replace
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest
from lattices import NAMES, WEIGHTS, all_paths, path_features, random_lattice
from nbest_lists import nbest_list

from nlmt.errors import InputError
from nlmt.io.lattice import tunable_features
from nlmt.tuning import OBJECTIVES, Search, _mert, mert, pool_of_nbest
from nlmt.tuning.lattice_paths import winning_paths
from nlmt.tuning.mert import LatticeMertOptions, LatticeMertTuner

START = np.array([0.5, 0.3, -0.2])


def lattices_and_references(seed, count=8):
    lattices = [random_lattice(100 * seed + s, sentence=s) for s in range(count)]
    rng = np.random.default_rng(seed)
    references = []
    for lattice in lattices:
        paths = all_paths(lattice)
        references.append(lattice.text(paths[rng.integers(len(paths))]) or "a")
    return lattices, references


def tuned(lattices, references, start=START, **search):
    """Weights that lattice MERT finds from a start, with their value."""
    return LatticeMertTuner().find(lattices, [references], [start], Search(**search))[0]


def exhaustive_pool(lattices, references, objective):
    rows = [
        (lattice.sentence, lattice.text(path), path_features(lattice, path))
        for lattice in lattices
        for path in all_paths(lattice)
    ]
    nbest = nbest_list(rows, lattices[0].feature_names)
    return pool_of_nbest(nbest, [references], objective=objective)


@pytest.mark.parametrize("seed", range(20))
def test_envelope_holds_all_winners_of_a_line_and_no_others(seed):
    lattice = random_lattice(seed, nodes=7, arcs=16)
    rng = np.random.default_rng(seed)
    point, direction = rng.normal(size=(2, 3))
    found, words, offsets = _mert.winning_paths(
        lattice.nodes,
        lattice.from_node,
        lattice.to_node,
        lattice.phrase,
        lattice.features,
        lattice.word_offsets,
        lattice.word_ids,
        point[None],
        direction[None],
    )
    paths = {tuple(path_features(lattice, path)): lattice.text(path) for path in all_paths(lattice)}
    for row, (begin, end) in zip(found, pairwise(offsets), strict=True):
        assert " ".join(lattice.words[word] for word in words[begin:end]) == paths[tuple(row)]
    every = np.array([path_features(lattice, path) for path in all_paths(lattice)])
    slopes = found @ direction
    assert (np.diff(slopes) > 0).all()
    for x in [-1e6, *np.linspace(-20, 20, 401), 1e6]:
        weights = point + x * direction
        assert (found @ weights).max() == pytest.approx((every @ weights).max(), rel=1e-9)
    crossings = -np.diff(found @ point) / np.diff(slopes)
    assert (np.diff(crossings) >= -1e-9).all()


@pytest.mark.parametrize("seed", range(10))
def test_line_search_is_that_over_all_paths(seed):
    lattices, references = lattices_and_references(seed)
    point, direction = np.random.default_rng(seed).normal(size=(2, 3))
    winners = pool_of_nbest(winning_paths(lattices, [point], direction[None]), [references])
    every = exhaustive_pool(lattices, references, OBJECTIVES.get("bleu"))
    ours, theirs = (pool.lists().line_search(point, direction) for pool in (winners, every))
    assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("name", OBJECTIVES.names())
@pytest.mark.parametrize("seed", range(3))
def test_equal_to_nbest_mert_on_all_paths(seed, name):
    objective = OBJECTIVES.get(name)
    lattices, references = lattices_and_references(seed)
    every = exhaustive_pool(lattices, references, objective)
    ours, found = LatticeMertTuner().find(
        lattices, [references], [START], Search(objective=objective, restarts=10)
    )
    # What it claims holds on all paths, and it is as good as searching all of them.
    assert every.lists().value(ours.weights) == pytest.approx(ours.value, abs=1e-12)
    theirs = mert(every, [START], restarts=10)
    assert ours.value >= theirs.value - 0.01
    # No line along a feature is better anywhere, on any path.
    for direction in np.eye(3):
        _, best = every.lists().line_search(ours.weights, direction)
        assert best <= ours.value + 1e-4
    # From the paths that it found it goes on.
    search = Search(objective=objective)
    again, more = LatticeMertTuner().find(
        lattices, [references], [ours.weights], search, known=found
    )
    assert again.value >= ours.value
    assert len(more) >= len(found)


def test_each_round_has_random_directions_of_its_own(monkeypatch):
    lattices, references = lattices_and_references(7)
    seen = []

    def record(lattices, points, directions, *, threads):
        seen.append(directions)
        return winning_paths(lattices, points, directions, threads=threads)

    module = import_module("nlmt.tuning.mert")  # the package has a function of this name
    monkeypatch.setattr(module, "winning_paths", record)
    monkeypatch.setattr(module, "_GAIN", -np.inf)  # all rounds
    tuner = LatticeMertTuner(LatticeMertOptions(rounds=3))
    tuner.find(lattices, [references], [START], Search(restarts=5))
    assert [len(directions) for directions in seen] == [3, 23, 23]
    one, other = (
        directions[3:] / np.linalg.norm(directions[3:], axis=1, keepdims=True)
        for directions in seen[1:]
    )
    assert np.abs((one * other).sum(axis=1)).mean() < 0.9  # cosines


def test_only_some_features_are_tuned():
    lattices, references = lattices_and_references(4)
    start = np.array([-0.5, 0.4, -0.2])
    found = tuned(lattices, references, start, tuned=["LM0"], restarts=5)
    assert found.weights[1] / found.weights[2] == pytest.approx(-2)
    every = exhaustive_pool(lattices, references, OBJECTIVES.get("bleu"))
    _, best = every.lists().line_search(start, np.eye(3)[0])
    assert found.value >= best - 1e-9


@pytest.mark.threads
def test_same_for_any_number_of_threads_and_vocabularies():
    lattices, references = lattices_and_references(6)
    apart = [replace(lattice, words=list(lattice.words)) for lattice in lattices]
    one, other = tuned(lattices, references), tuned(apart[::-1], references, threads=3)
    assert one.weights.tobytes() == other.weights.tobytes()


def test_lists_of_winners_are_small():
    lattices, _ = lattices_and_references(5)
    nbest = winning_paths(lattices, [START], np.eye(3))
    assert len(nbest) < sum(len(all_paths(lattice)) for lattice in lattices)
    assert (np.diff(nbest.sentence) >= 0).all()


def test_the_penalty_of_unknown_words_is_not_tuned():
    lattices, references = lattices_and_references(2)
    names = [("UnknownWordPenalty0", 1), *NAMES]
    wider = [
        replace(
            lattice,
            feature_names=names,
            features=np.column_stack([np.ones(len(lattice), np.float32), lattice.features]),
            weights={"UnknownWordPenalty0": [1.0], **WEIGHTS},
        )
        for lattice in lattices
    ]
    assert tunable_features(names) == NAMES
    one, other = tuned(lattices, references), tuned(wider, references)
    assert one.weights.tobytes() == other.weights.tobytes()


def test_empty_lattices_are_survived():
    lattices, references = lattices_and_references(3)
    none = np.zeros(0, np.int32)
    lattices[2] = replace(
        lattices[2], nodes=1, from_node=none, to_node=none, phrase=none,
        features=np.zeros((0, 3), np.float32),
    )  # fmt: skip
    references[2] = ""
    assert 0 < tuned(lattices, references).value <= 1


def test_bad_lattices_are_named():
    lattices, references = lattices_and_references(1, count=2)
    with pytest.raises(InputError, match="no lattices"):
        tuned([], references)
    with pytest.raises(InputError, match="two lattices of sentence 1"):
        tuned([*lattices, lattices[1]], references)
    with pytest.raises(InputError, match="2 weights, but the lattices have 3"):
        tuned(lattices, references, np.ones(2))
    with pytest.raises(InputError, match="weights must be finite and below 1e30"):
        tuned(lattices, references, np.full(3, 1e30))
    with pytest.raises(InputError, match="no reference for sentence 1"):
        tuned(lattices, references[:1])
    strange = [replace(lattices[0], sentence=1 << 40)]
    with pytest.raises(InputError, match="no reference for sentence 1099511627776"):
        tuned(strange, references)
    arrays = (
        np.array([1], np.int32), np.array([0], np.int32), np.array([0], np.int32),
        np.ones((1, 1), np.float32), np.array([0, 1]), np.array([0], np.int32),
        np.ones((1, 1)), np.ones((1, 1)),
    )  # fmt: skip
    with pytest.raises(ValueError, match="upwards"):
        _mert.winning_paths(2, *arrays)
