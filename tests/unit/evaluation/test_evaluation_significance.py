"""Paired bootstrap on constructed data, and the scores of a system over its runs."""

import json

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.evaluation import evaluate_system, paired_bootstrap, sentence_statistics


def corpus(seed, sentences, quality):
    """Statistics and lines of a random system that gets each word right with `quality`."""
    rng = np.random.default_rng(0)
    references = [[f"w{i}" for i in rng.integers(50, size=12)] for _ in range(sentences)]
    rng = np.random.default_rng(seed)
    lines = [
        " ".join(word if rng.random() < quality else "x" for word in words) for words in references
    ]
    return lines, [" ".join(words) for words in references]


def statistics_of(seed, sentences, quality):
    lines, references = corpus(seed, sentences, quality)
    return sentence_statistics(lines, [references])


def test_equal_systems_have_p_1():
    run = statistics_of(1, 100, 0.8)
    result = paired_bootstrap([run, run], [run, run])
    assert (result.difference, result.p_value, result.run_p_values) == (0, 1, [1, 1])


def test_strong_difference_has_the_smallest_p():
    good, bad = statistics_of(1, 200, 0.9), statistics_of(2, 200, 0.6)
    up = paired_bootstrap([good], [bad], resamples=999)
    down = paired_bootstrap([bad], [good], resamples=999)
    assert up.p_value == down.p_value == 1 / 1000
    assert up.difference == -down.difference > 20


def test_p_of_a_constructed_difference():
    # The systems differ in one sentence of n: a draw misses it with probability (1 - 1/n)^n, and
    # only then is there no difference.
    sentences = 50
    first = np.tile(np.array([8, 10, 6, 9, 4, 8, 3, 7, 10]), (sentences, 1))
    second = first.copy()
    second[7, 0] -= 1
    result = paired_bootstrap([first], [second], resamples=20000)
    assert result.p_value == pytest.approx((1 - 1 / sentences) ** sentences, abs=0.01)


def test_seed_decides():
    runs = statistics_of(1, 100, 0.80), statistics_of(2, 100, 0.79)
    first, again, other = (
        paired_bootstrap([runs[0]], [runs[1]], resamples=500, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert first.p_value != other.p_value


def test_runs_are_drawn_together():
    # Means of the runs are equal on every draw, whatever the runs of a seed look like.
    one, two = statistics_of(1, 100, 0.8), statistics_of(2, 100, 0.7)
    result = paired_bootstrap([one, two], [two, one])
    assert result.p_value == 1
    assert max(result.run_p_values) < 0.05


def test_unequal_runs_are_refused():
    run = statistics_of(1, 10, 0.8)
    with pytest.raises(InputError, match="2 runs cannot be paired with 1 runs"):
        paired_bootstrap([run, run], [run])
    with pytest.raises(InputError, match="runs of 10, 9 sentences"):
        paired_bootstrap([run], [run[:9]])


def test_system_and_baseline():
    base, references = corpus(1, 60, 0.7)
    better, _ = corpus(2, 60, 0.9)
    other, _ = corpus(3, 60, 0.9)
    scores = evaluate_system(
        "nlm",
        [better, other],
        [references],
        baseline="base",
        baseline_hypotheses=[base, base],
        seeds=[1, 2],
        label="+ neural",
    )
    assert scores.mean == pytest.approx(np.mean(scores.bleu))
    assert scores.stdev == pytest.approx(np.std(scores.bleu, ddof=1))
    assert scores.p_value is not None
    assert scores.p_value < 0.01
    assert json.loads(json.dumps(scores.to_dict()))["label"] == "+ neural"


def test_baseline_is_not_compared_with_itself():
    base, references = corpus(1, 20, 0.7)
    scores = evaluate_system(
        "base", [base], [references], baseline="base", baseline_hypotheses=[base], seeds=[1]
    )
    assert (scores.p_value, scores.difference, scores.stdev) == (None, None, 0)
    with pytest.raises(InputError, match="1 runs, but 2 seeds"):
        evaluate_system(
            "base", [base], [references], baseline="base", baseline_hypotheses=[], seeds=[1, 2]
        )
