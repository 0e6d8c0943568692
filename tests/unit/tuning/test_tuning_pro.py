"""PRO: its pairs, its regression, and the cures against short translations and bad pairs."""

from math import exp

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.tuning import OBJECTIVES, Pool, Search, list_tuner
from nlmt.tuning.pro import ProOptions, hypothesis_values, logistic_regression, sample_pairs

# Statistics of BLEU: matches and totals of orders 1 to 4 in turn, length of the reference.
RIGHT = [4, 4, 3, 3, 2, 2, 1, 1, 4]  # all four words
HALF = [2, 2, 1, 1, 0, 0, 0, 0, 4]  # two words of four
START = np.array([1.0])  # of the weights


def pool_of(*sentences):
    """A pool of sentences of statistics; the one feature of each hypothesis is its place."""
    numbers = np.repeat(np.arange(len(sentences)), [len(rows) for rows in sentences])
    places = [float(place) for rows in sentences for place in range(len(rows))]
    statistics = np.array([row for rows in sentences for row in rows], np.int32)
    return Pool(numbers.astype(np.int32), np.array(places)[:, None], statistics, [("LM0", 1)])


def test_logistic_regression_by_its_gradient():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(200, 4)) + np.array([1, 0, -0.5, 0])
    for penalty in (0.1, 10.0):
        w = logistic_regression(x, penalty=penalty)
        gradient = penalty * w - x.T @ (1 / (1 + np.exp(x @ w)))
        assert np.abs(gradient).max() < 1e-3
    # One feature that is always 1: log(1 + exp(-w)) n + w^2 / 2, so w = n / (1 + exp(w)).
    (w,) = logistic_regression(np.ones((10, 1)), penalty=1.0)
    assert w == pytest.approx(10 / (1 + np.exp(w)), abs=1e-4)
    assert logistic_regression(np.zeros((0, 2))).tolist() == [0, 0]


def test_pairs_are_the_most_different_ones():
    pool = pool_of(*[[RIGHT] * 60] * 5)
    values = np.linspace(0, 1, 300).reshape(60, 5).T.ravel()  # from 0 to 1 within each sentence
    pairs = sample_pairs(pool, values, ProOptions(), seed=3)
    assert len(pairs) == 5 * ProOptions().kept
    assert pairs.min() > 40
    assert np.array_equal(pairs, sample_pairs(pool, values, ProOptions(), seed=3))
    assert not np.array_equal(pairs, sample_pairs(pool, values, ProOptions(), seed=4))


def test_accepted_at_random_they_are_as_they_were_drawn():
    pool = pool_of([RIGHT] * 100)
    values = np.linspace(0, 1, 100)
    options = ProOptions(accepted="random", kept=1000, least_difference=0.2)
    pairs = sample_pairs(pool, values, options, seed=3)
    # Differences d of uniform pairs have the density 2 (1 - d): above 0.2 their mean is 0.467.
    assert pairs.min() >= 0.2 * 99 - 1e-9
    assert pairs.mean() / 99 == pytest.approx(0.467, abs=0.02)


def test_cut_off_leaves_larger_differences_out():
    pool = pool_of([RIGHT] * 4)
    values = np.array([0.0, 0.1, 0.5, 1.0])
    pairs = sample_pairs(pool, values, ProOptions(largest_difference=0.45, kept=5000))
    assert set(pairs.ravel()) == {1.0}  # 0 with 0.1 and 0.1 with 0.5: neighbours both
    everything = sample_pairs(pool, values, ProOptions(kept=5000))
    assert set(everything.ravel()) == {1.0, 2.0, 3.0}


@pytest.mark.parametrize(
    ("statistics", "longer", "expected"),
    [
        (RIGHT, 0, 1.0),
        (RIGHT, 1, exp(1 - 5 / 4)),
        ([4, 4, 3, 3, 2, 2, 1, 1, 5], 0, exp(1 - 5 / 4)),
        ([4, 4, 3, 3, 2, 2, 1, 1, 5], 1, exp(1 - 6 / 4)),
        # Three of four words: 3/4, then one more match and one more n-gram for orders 2 to 4.
        ([3, 4, 2, 3, 1, 2, 0, 1, 4], 0, (3 / 4 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25),
        ([3, 4, 2, 3, 1, 2, 0, 1, 4], 1, (3 / 4 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25 * exp(-1 / 4)),
    ],
)
def test_brevity_penalty_is_smoothed(statistics, longer, expected):
    (value,) = hypothesis_values(pool_of([statistics]), ProOptions(longer_reference=longer), START)
    assert value == pytest.approx(expected)


def test_grounded_value_is_less_by_that_without_a_match():
    # No word is right: half a match of order 1 by sacreBLEU's smoothing, one of the others.
    none = [0, 4, 0, 3, 0, 2, 0, 1, 4]
    without = (1 / 8 * 1 / 4 * 1 / 3 * 1 / 2) ** 0.25
    options = ProOptions(longer_reference=0)
    plain = hypothesis_values(pool_of([none, RIGHT]), options, START)
    assert plain == pytest.approx([without, 1])
    options = ProOptions(longer_reference=0, grounded=True)
    grounded = hypothesis_values(pool_of([none, RIGHT]), options, START)
    assert grounded == pytest.approx([0, 1 - without])
    # Of (BLEU - TER) / 2 only BLEU has that part.
    both = Pool(
        np.zeros(1, np.int32), np.zeros((1, 1)), np.array([[*RIGHT, 1, 4]], np.int32),
        [("LM0", 1)], OBJECTIVES.get("ter-bleu"),
    )  # fmt: skip
    (value,) = hypothesis_values(both, options, START)
    assert value == pytest.approx((1 - without - 1 / 4) / 2)


def test_smoothed_brevity_penalty_prefers_the_full_length():
    # Of ten words: nine right ones and a wrong one, or the nine right ones alone.
    full, short = [9, 10, 8, 9, 7, 8, 6, 7, 10], [9, 9, 8, 8, 7, 7, 6, 6, 10]
    before = hypothesis_values(pool_of([full, short]), ProOptions(longer_reference=0), START)
    after = hypothesis_values(pool_of([full, short]), ProOptions(longer_reference=1), START)
    assert before[0] < before[1]
    assert after[0] > after[1]


def test_background_is_the_text_under_the_weights_at_hand():
    pool = pool_of([RIGHT, HALF], [RIGHT, RIGHT], [HALF, RIGHT])
    options = ProOptions(background=3)
    # The first of each: two sentences are right, one has two words of four.
    values = hypothesis_values(pool, options, np.array([-1.0]))
    right, half = 4 * exp(1 - 16 / 14), 4 * exp(1 - 16 / 12)
    assert values == pytest.approx([right, half, right, right, half, right])
    # The second of each, likewise.
    assert hypothesis_values(pool, options, np.array([1.0])) == pytest.approx(values)
    values = hypothesis_values(pool_of([RIGHT, HALF], [RIGHT]), options, np.array([-1.0]))
    assert values == pytest.approx([4, 4 * exp(1 - 16 / 14), 4])


def test_options_are_checked():
    with pytest.raises(InputError, match=r"pro\.accepted"):
        list_tuner("pro", {"accepted": "worst"})
    tuner = list_tuner("pro", {"background": 3.0, "largest_difference": None})
    found = tuner.find(pool_of([RIGHT, HALF]), [np.array([1.0])], Search())
    assert found[0] < 0
