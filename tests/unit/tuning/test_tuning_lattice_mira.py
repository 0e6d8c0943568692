"""MIRA on lattices against plain enumeration of all paths."""

import numpy as np
import pytest
from lattices import NAMES, all_paths, path_features, random_lattice
from test_tuning_lattice import START, exhaustive_pool, lattices_and_references

from nlmt.errors import InputError
from nlmt.evaluation import BLEU
from nlmt.tuning import OBJECTIVES, Search
from nlmt.tuning._mert import linear_gains
from nlmt.tuning.folding import fold
from nlmt.tuning.mira import LatticeMiraTuner, MiraOptions, _compile, _empty_pool
from nlmt.tuning.objective import DEFAULT_OBJECTIVE


def compiled(lattices, references, pool=None):
    pool = pool or _empty_pool(NAMES, DEFAULT_OBJECTIVE)
    return _compile(lattices, references, fold(pool, (), START)), pool.lists()


def ngrams(words):
    return [tuple(words[i : i + n]) for n in range(1, 5) for i in range(len(words) - n + 1)]


def linear_gain(text, references, gains):
    """What a translation gains: for each word, and for each n-gram that a reference has."""
    there = {ngram for line in references for ngram in ngrams(line.split())}
    matches = [ngram for ngram in ngrams(text.split()) if ngram in there]
    return gains[0] * len(text.split()) + sum(gains[len(ngram)] for ngram in matches)


@pytest.mark.parametrize("seed", range(30))
def test_best_path_is_that_of_all_paths(seed):
    rng = np.random.default_rng(seed)
    lattice = random_lattice(seed, nodes=8, arcs=20)
    references = [" ".join(rng.choice(["a", "b", "c", "e"], size)) for size in (9, 6)]
    given, _ = compiled([lattice], [[line] for line in references])
    for sign in (1, -1):
        scores, gains = rng.normal(size=len(lattice)), sign * rng.normal(size=5)
        found = given.best_path(0, scores, gains)
        totals = {
            tuple(path.arcs): scores[path.arcs].sum()
            + linear_gain(lattice.text(path), references, gains)
            for path in all_paths(lattice)
        }
        assert totals[tuple(found)] == pytest.approx(max(totals.values()), abs=1e-9)


def test_gains_are_the_derivatives_of_quality():
    for length in (900.0, 1100.0):  # with and without brevity penalty
        sums = np.array([700, length, 500, length - 50, 300, length - 100, 200, length - 150, 1000])
        word, *matches = linear_gains(sums)

        def quality(change, sums=sums):
            return BLEU.score(sums + change) / 100 * 1000

        for n, gain in enumerate(matches):
            step = np.eye(9)[2 * n] * 1e-3
            assert gain == pytest.approx((quality(step) - quality(-step)) / 2e-3, rel=1e-4)
        step = np.eye(9)[[1, 3, 5, 7]].sum(axis=0) * 1e-3
        assert word == pytest.approx((quality(step) - quality(-step)) / 2e-3, rel=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_value_is_bleu_of_the_best_paths(seed):
    lattices, references = lattices_and_references(seed)
    other = ["A b c d", *references[1:]]
    every = exhaustive_pool(lattices, references, OBJECTIVES.get("bleu"))
    given, none = compiled(lattices, [references])
    assert given.mira(none, START, 1, 0.01, 0.9, 0)[1] == every.lists().value(START)
    given, none = compiled(lattices, [references, other])
    lines = [lattice.text(all_paths(lattice)[0]) for lattice in lattices]  # the best, by START
    sums = BLEU.statistics(lines, [references, other]).sum(axis=0)
    matched = sums[0:8:2].all()
    expected = BLEU.score(sums) / 100 if matched else 0
    assert given.mira(none, START, 1, 0.01, 0.9, 0)[1] == pytest.approx(expected)


def plain_mira(lattice, reference, known, epochs, step=0.01, decay=0.999):
    """MIRA on one lattice, path by path."""
    paths = [(lattice.text(path), path_features(lattice, path)) for path in all_paths(lattice)]
    statistics = {text: BLEU.statistics([text], [[reference]])[0] for text, _ in [*paths, *known]}
    document, weights, total = np.ones(9), START.copy(), np.zeros(3)
    expected = BLEU.statistics([reference], [[reference]])[0]
    averages = []
    for _ in range(epochs):
        gains = linear_gains(document + expected)
        quality = {
            text: BLEU.score(document + counts) / 100 * (document + counts)[8]
            for text, counts in statistics.items()
        }
        chosen = []
        for sign in (1, -1):
            best = max(
                paths, key=lambda p: p[1] @ weights + sign * linear_gain(p[0], [reference], gains)
            )
            chosen.append(max([best, *known], key=lambda p: p[1] @ weights + sign * quality[p[0]]))
        (hope, wanted), (fear, avoided) = chosen
        difference = wanted - avoided
        loss = quality[hope] - quality[fear] - difference @ weights
        if loss > 0 and difference.any():
            weights = weights + min(step, loss / (difference @ difference)) * difference
        total += weights
        document = decay * (document + statistics[hope])
        expected = statistics[hope]
        averages.append(total / (len(averages) + 1))
    return averages


@pytest.mark.parametrize("with_known", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_learning_is_that_of_plain_python(seed, with_known):
    (lattice,), (reference,) = lattices_and_references(seed, count=1)
    others = random_lattice(seed + 1000)
    known = [(others.text(p), path_features(others, p)) for p in all_paths(others)]
    pool = exhaustive_pool([others], [reference], DEFAULT_OBJECTIVE) if with_known else None
    given, lists = compiled([lattice], [[reference]], pool)
    for epochs in (1, 2, 5, 9):
        averages = plain_mira(lattice, reference, known if with_known else [], epochs)
        candidates = [START, *averages]
        values = [given.mira(lists, point, 1, 0.01, 0.999, 0)[1] for point in candidates]
        found, value, *_ = given.mira(lists, START, 1, 0.01, 0.999, epochs)
        assert value == max(values)
        assert found == pytest.approx(candidates[int(np.argmax(values))], abs=1e-9)


@pytest.mark.threads
def test_weights_and_paths():
    lattices, references = lattices_and_references(3, count=12)
    every = exhaustive_pool(lattices, references, DEFAULT_OBJECTIVE)
    found, pool = LatticeMiraTuner().find(lattices, [references], [START], Search())
    assert found.value == pytest.approx(every.lists().value(found.weights), abs=1e-12)
    assert found.value > every.lists().value(START)
    assert np.abs(found.weights).sum() == pytest.approx(1)
    rows = {(s, *row) for s, row in zip(every.sentence, every.features.tolist(), strict=True)}
    assert {(s, *row) for s, row in zip(pool.sentence, pool.features.tolist(), strict=True)} <= rows
    again, same = LatticeMiraTuner().find(lattices, [references], [START], Search(threads=2))
    assert again.weights.tolist() == found.weights.tolist()
    assert np.array_equal(same.features, pool.features)
    more, merged = LatticeMiraTuner().find(
        lattices, [references], [START], Search(seed=2, runs=2), known=pool
    )
    assert len(merged) >= len(pool)
    assert more.value == pytest.approx(every.lists().value(more.weights), abs=1e-12)


def test_some_features_only():
    lattices, references = lattices_and_references(4, count=12)
    found, _ = LatticeMiraTuner().find(lattices, [references], [START], Search(tuned=["LM0"]))
    assert found.weights[1] / found.weights[2] == pytest.approx(-1.5)
    found, _ = LatticeMiraTuner().find(lattices, [references], [START], Search(left_out=["TM0.1"]))
    assert found.weights[2] == 0


def test_errors():
    lattices, references = lattices_and_references(0, count=2)
    with pytest.raises(InputError, match="tunes bleu, not ter"):
        LatticeMiraTuner().find(
            lattices, [references], [START], Search(objective=OBJECTIVES.get("ter"))
        )
    with pytest.raises(InputError, match="no reference for sentence 1"):
        LatticeMiraTuner(MiraOptions(epochs=1)).find(lattices, [references[:1]], [START], Search())
