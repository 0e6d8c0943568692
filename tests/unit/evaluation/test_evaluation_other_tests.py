"""Tests of other programs, on constructed data whose p-values are known."""

import numpy as np
import pytest
from constructed import corpus, ter_rows

from nlmt.errors import InputError
from nlmt.evaluation import BLEU, TER, approximate_randomisation, paired_bootstrap


def statistics_of(seed, sentences, quality):
    lines, references = corpus(seed, sentences, quality)
    return BLEU.statistics(lines, [references])


def test_equal_systems_have_p_1():
    run = statistics_of(1, 100, 0.8)
    assert paired_bootstrap(BLEU, [run, run], [run, run]) == 1


def test_strong_difference_has_the_smallest_p():
    good, bad = statistics_of(1, 200, 0.9), statistics_of(2, 200, 0.6)
    up = paired_bootstrap(BLEU, [good], [bad], resamples=999)
    down = paired_bootstrap(BLEU, [bad], [good], resamples=999)
    assert up == down == 1 / 1000


def test_p_of_a_constructed_difference():
    # The systems differ in one sentence of n: a draw misses it with probability (1 - 1/n)^n, and
    # only then is there no difference.
    sentences = 50
    first = np.tile(np.array([8, 10, 6, 9, 4, 8, 3, 7, 10]), (sentences, 1))
    second = first.copy()
    second[7, 0] -= 1
    result = paired_bootstrap(BLEU, [first], [second], resamples=20000)
    assert result == pytest.approx((1 - 1 / sentences) ** sentences, abs=0.01)


@pytest.mark.parametrize("p_of", [paired_bootstrap, approximate_randomisation])
def test_seed_decides(p_of):
    runs = statistics_of(1, 100, 0.80), statistics_of(2, 100, 0.79)
    first, again, other = (
        p_of(BLEU, [runs[0]], [runs[1]], resamples=500, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_runs_are_drawn_together():
    # Means of the runs are equal on every draw, whatever the runs of a seed look like.
    one, two = statistics_of(1, 100, 0.8), statistics_of(2, 100, 0.7)
    assert paired_bootstrap(BLEU, [one, two], [two, one]) == 1
    assert paired_bootstrap(BLEU, [one], [two]) < 0.05


def test_unequal_runs_are_refused():
    run = statistics_of(1, 10, 0.8)
    with pytest.raises(InputError, match="2 runs cannot be paired with 1 runs"):
        paired_bootstrap(BLEU, [run, run], [run])
    with pytest.raises(InputError, match="runs of 10, 9 sentences"):
        paired_bootstrap(BLEU, [run], [run[:9]])


def test_randomisation_of_equal_systems():
    run = ter_rows([1, 2, 3])
    assert approximate_randomisation(TER, [run, run], [run, run]) == 1


@pytest.mark.parametrize("different", [1, 4])
def test_randomisation_p_of_a_constructed_difference(different):
    # One edit less in each of k sentences: as large a difference needs all k on the same side.
    better = np.full(30, 3)
    worse = better + (np.arange(30) < different)
    result = approximate_randomisation(TER, [ter_rows(better)], [ter_rows(worse)], resamples=20000)
    assert result == pytest.approx(2 * 0.5**different, abs=0.01)


@pytest.mark.parametrize("different", [1, 2])
def test_randomisation_shuffles_over_all_runs(different):
    # Of two runs each, all four outputs of a sentence may stand anywhere: one way of six gives
    # both better outputs to one system.
    better = np.full(20, 3)
    worse = better + (np.arange(20) < different)
    runs = [ter_rows(better)] * 2, [ter_rows(worse)] * 2
    result = approximate_randomisation(TER, *runs, resamples=20000)
    assert result == pytest.approx(2 * (1 / 6) ** different, abs=0.01)


def test_chance_of_tuning_counts():
    # Two runs of one system differ as much as the systems do: no evidence, whatever one run says.
    rng = np.random.default_rng(1)
    first, second = (ter_rows(rng.integers(0, 5, 300) + shift) for shift in (0, 1))
    assert approximate_randomisation(TER, [first], [second]) < 0.01
    assert approximate_randomisation(TER, [first, second], [second, first]) == 1


def test_p_values_of_equal_systems_are_uniform():
    rng = np.random.default_rng(2)
    tests = []
    for trial in range(150):
        runs = [ter_rows(rng.integers(0, 6, 60)) for _ in range(2)]
        result = approximate_randomisation(TER, runs[:1], runs[1:], resamples=100, seed=trial)
        tests.append(result)
    # 5 standard deviations of a share of 150.
    for level in (0.1, 0.25, 0.5):
        assert abs(np.mean(np.array(tests) <= level) - level) < 5 * np.sqrt(level / 150)
