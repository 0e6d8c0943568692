"""The exact line search against brute force over all places where two hypotheses cross."""

import itertools

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.evaluation import BLEU
from nlmt.tuning._mert import Lists

NARROW = 1e-6  # the search passes over narrower intervals


def random_lists(seed, sizes, width=4, whole=False):
    """Features, offsets and plausible statistics; `whole` features make many ties."""
    rng = np.random.default_rng(seed)
    rows = sum(sizes)
    features = rng.integers(-3, 3, (rows, width)) if whole else rng.normal(size=(rows, width))
    length = rng.integers(6, 12, rows)
    statistics = np.zeros((rows, 9), np.int32)
    for n in range(4):
        statistics[:, 2 * n + 1] = length - n
        statistics[:, 2 * n] = rng.integers(0, length - n + 1)
    statistics[:, 8] = np.repeat(rng.integers(6, 12, len(sizes)), sizes)
    offsets = np.cumsum([0, *sizes]).astype(np.int64)
    return features.astype(np.float64), offsets, statistics


def bleu_at(features, offsets, statistics, weights):
    """BLEU from 0 to 1 of the best hypotheses, the first of equals, for weights (w,) or (w, n)."""
    sums = sum(
        statistics[begin + np.argmax(features[begin:end] @ weights, axis=0)]
        for begin, end in itertools.pairwise(offsets)
        if end > begin
    )
    scores = np.where(sums[..., 0:8:2].all(axis=-1), BLEU.score(sums) / 100, 0.0)  # not smoothed
    return scores[()]


def brute_force(features, offsets, statistics, point, direction):
    """The highest BLEU on the line: between any two neighbouring crossings, and beyond all."""
    crossings = []
    for begin, end in itertools.pairwise(offsets):
        intercepts, slopes = features[begin:end] @ point, features[begin:end] @ direction
        for i, j in itertools.combinations(range(end - begin), 2):
            if slopes[i] != slopes[j]:
                crossings.append((intercepts[i] - intercepts[j]) / (slopes[j] - slopes[i]))
    crossings = sorted(crossings)
    if not crossings:
        return bleu_at(features, offsets, statistics, point)
    places = [crossings[0] - 1, crossings[-1] + 1]
    places += [(a + b) / 2 for a, b in itertools.pairwise(crossings) if b - a >= NARROW]
    return max(bleu_at(features, offsets, statistics, point + x * direction) for x in places)


@pytest.mark.parametrize("seed", range(20))
def test_optimum_is_that_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    lists = random_lists(seed, rng.integers(0, 12, 8).tolist())
    point, direction = rng.normal(size=(2, 4))
    step, bleu = Lists(*lists, "bleu").line_search(point, direction)
    assert bleu == pytest.approx(brute_force(*lists, point, direction), abs=1e-12)
    assert bleu_at(*lists, point + step * direction) == pytest.approx(bleu, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_no_place_of_a_dense_grid_is_better(seed):
    lists = random_lists(100 + seed, [40, 1, 25, 60])
    direction = np.eye(4)[seed % 4]
    _, bleu = Lists(*lists, "bleu").line_search(np.ones(4), direction)
    grid = np.concatenate([np.linspace(-50, 50, 4001), np.linspace(-2, 2, 4001)])
    places = np.ones((4, 1)) + np.outer(direction, grid)
    assert bleu >= bleu_at(*lists, places).max() - 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_ties_are_survived(seed):
    # Whole numbers: parallel and equal lines, and many that cross in one point.
    lists = random_lists(200 + seed, [30, 17, 8, 9, 2], width=3, whole=True)
    point, direction = np.array([1.0, 2.0, -1.0]), np.array([0.0, 1.0, 1.0])
    step, bleu = Lists(*lists, "bleu").line_search(point, direction)
    assert bleu == pytest.approx(brute_force(*lists, point, direction), abs=1e-12)
    assert bleu_at(*lists, point + step * direction) == pytest.approx(bleu, abs=1e-12)


def test_a_line_without_crossings():
    lists = random_lists(1, [1, 0, 1])
    step, bleu = Lists(*lists, "bleu").line_search(np.ones(4), np.ones(4))
    assert step == 0
    assert bleu == pytest.approx(bleu_at(*lists, np.ones(4)))


def test_hypotheses_far_apart_stay_finite():
    features, offsets, statistics = random_lists(3, [5, 5])
    features[0] *= 1e25
    features[6] *= 1e-25
    step, bleu = Lists(features, offsets, statistics, "bleu").line_search(np.ones(4), np.eye(4)[0])
    assert np.isfinite(step)
    assert 0 <= bleu <= 1


def test_winners_are_the_first_of_equals():
    features = np.array([[0.0], [1.0], [1.0], [5.0]])
    lists = Lists(features, np.array([0, 3, 3, 4]), np.zeros((4, 9), np.int32), "bleu")
    assert lists.winners(np.array([1.0])).tolist() == [1, -1, 0]
    assert lists.winners(np.array([0.0])).tolist() == [0, -1, 0]


def test_arrays_that_do_not_fit_are_refused():
    features, offsets, statistics = random_lists(1, [3, 4])
    with pytest.raises(ValueError, match="offsets"):
        Lists(features, offsets[:-1], statistics, "bleu")
    with pytest.raises(ValueError, match="statistics"):
        Lists(features, offsets, statistics[:-1], "bleu")
    for size in (np.nan, np.inf, 1e30):  # as files may hold, or their sums
        with pytest.raises(InputError, match="features must be finite and below 1e30"):
            Lists(np.full_like(features, -size), offsets, statistics, "bleu")
    with pytest.raises(ValueError, match="one weight"):
        Lists(features, offsets, statistics, "bleu").value(np.ones(3))
