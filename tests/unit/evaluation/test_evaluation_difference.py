"""The interval of a difference: by hand, by simulation, and what it covers."""

import numpy as np
import pytest
from constructed import ter_rows
from scipy import stats

from nlmt.errors import InputError
from nlmt.evaluation import BLEU, TER, compare_perplexities, compare_systems
from nlmt.evaluation.difference import (
    Difference,
    SampledRuns,
    average_runs,
    compare_runs,
    sample_runs,
)


class Mean:
    """The mean of values in steps of a thousandth."""

    def score(self, sums):
        return sums[..., 0] / 1000 / sums[..., 1]

    @staticmethod
    def rows(values):
        return np.stack([np.round(1000 * values), np.ones(len(values))], axis=1).astype(np.int32)


def test_single_runs_are_a_paired_t_test_of_the_sentences():
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 8, (2, 300))
    found = compare_systems(TER, [ter_rows(first)], [ter_rows(second)], resamples=20_000)
    expected = stats.ttest_rel(10.0 * first, 10.0 * second)
    assert found.difference == pytest.approx(10 * (first - second).mean())
    assert found.p_value == pytest.approx(expected.pvalue, rel=0.05)
    interval = expected.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx(tuple(interval), rel=0.02)
    assert found.freedom == pytest.approx(299)


def test_runs_that_differ_in_all_sentences_alike_are_welchs_test():
    """Sentences that are all alike leave the runs alone: the variance is theirs."""
    scores = np.array([1.0, 2.0, 4.0]), np.array([5.0, 5.5, 7.0])
    runs = [[Mean.rows(np.full(50, score)) for score in own] for own in scores]
    found = compare_systems(Mean(), *runs)
    variances = [own.var(ddof=1) / 3 for own in scores]
    assert found.deviation == pytest.approx(np.sqrt(sum(variances)))
    # Both variances have two degrees of freedom and the same factor, which cancels out.
    expected = sum(variances) ** 2 / sum(one**2 / 2 for one in variances)
    assert found.freedom == pytest.approx(expected)
    paired = compare_systems(Mean(), *runs, paired=True)
    assert paired.p_value == pytest.approx(stats.ttest_rel(*scores).pvalue, rel=1e-6)
    assert paired.freedom == pytest.approx(2)


def test_variance_of_sentences_and_runs_by_hand():
    """Scores and draws whose parts of the variance are known."""
    draws = np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0], [6.0, 6.0]])
    system = SampledRuns(np.array([3.0, 5.0]), draws, 100)
    baseline = SampledRuns(np.array([1.0]), np.zeros((4, 1)), 100)
    found = compare_runs(system, baseline, paired=False)
    of_sentences = np.var([2, 2, 2, 6], ddof=1)
    of_runs = 2 / 2  # the variance of 3 and 5, over two runs
    covariance = np.cov(draws.T)
    of_outputs = (np.trace(covariance) / 2 - covariance[0, 1]) / 2
    assert found.difference == 3
    assert found.deviation == pytest.approx(np.sqrt(of_sentences + of_runs - of_outputs))
    weight = of_runs * 4
    freedom = (of_sentences + weight) ** 2 / (of_sentences**2 / 99 + weight**2)
    assert found.freedom == pytest.approx(freedom)


def test_interval_and_p_agree():
    for difference in (-0.4, 0.1, 0.199, 0.201, 3.0):
        found = Difference(difference, 0.1, 29.5)
        assert (found.p_value < 0.05) == (found.low > 0 or found.high < 0)
        inner, outer = found.interval(0.9), found.interval(0.95)
        assert outer[0] < inner[0] < difference < inner[1] < outer[1]
    assert Difference(stats.t.ppf(0.975, 4), 1.0, 4).p_value == pytest.approx(0.05)


def test_equal_systems():
    run = ter_rows([1, 2, 3, 3])
    found = compare_systems(TER, [run, run], [run, run])
    assert (found.difference, found.low, found.high, found.p_value) == (0, 0, 0, 1)


def test_a_single_sentence_shows_nothing():
    found = compare_systems(TER, [ter_rows([1])], [ter_rows([5])])
    assert (found.difference, found.low, found.high, found.p_value) == (-40, -np.inf, np.inf, 1)


def test_test_sets_are_strata():
    rng = np.random.default_rng(2)
    sets = [
        [
            sample_runs(Mean(), [Mean.rows(rng.normal(0, deviation, 400))], seed=seed)
            for deviation in (1.0, 2.0)
        ]
        for seed in (1, 2)
    ]
    system, baseline = (average_runs([one[i] for one in sets]) for i in range(2))
    found = compare_runs(system, baseline, paired=False)
    parts = [compare_runs(*one, paired=False) for one in sets]
    assert found.difference == pytest.approx(np.mean([one.difference for one in parts]))
    expected = np.sqrt(sum(one.deviation**2 for one in parts)) / 2
    assert found.deviation == pytest.approx(expected, rel=0.1)
    assert found.freedom == pytest.approx(799)


def test_seed_decides_the_draws():
    rng = np.random.default_rng(3)
    runs = [[ter_rows(rng.integers(0, 8, 100))] for _ in range(2)]
    first, again, other = (compare_systems(TER, *runs, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.p_value != other.p_value
    assert first.p_value == pytest.approx(other.p_value, rel=0.3)


def test_unusable_runs_are_refused():
    run = ter_rows([1, 2, 3])
    with pytest.raises(InputError, match="2 runs cannot be paired with 1 runs"):
        compare_systems(TER, [run, run], [run], paired=True)
    with pytest.raises(InputError, match="runs of 3, 2 sentences"):
        compare_systems(TER, [run, run[:2]], [run])
    with pytest.raises(InputError, match="runs of no sentences"):
        compare_systems(TER, [], [run])
    with pytest.raises(InputError, match="1 draws of the sentences"):
        compare_systems(TER, [run], [run], resamples=1)
    with pytest.raises(InputError, match="runs of 3 sentences compared with runs of 2"):
        compare_systems(TER, [run], [run[:2]])


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize(
    ("runs", "noise", "effect"), [(3, 0, 0), (3, 1, 0), (3, 0.3, 2), (5, 0.3, 6)]
)
def test_false_alarms_are_as_many_as_promised(paired, runs, noise, effect):
    """Systems of one mean; `noise` of an output in deviations of a sentence, `effect` of a run.

    `benchmarks/false_alarms.py` has the whole grid, with BLEU, and the published table.
    """
    rng, sentences, comparisons, alarms = np.random.default_rng(4), 60, 600, 0
    for _ in range(comparisons):
        sentence = rng.standard_normal(sentences) / 2

        def outputs(sentence):
            return [
                Mean.rows(
                    sentence
                    + rng.normal(0, noise / np.sqrt(2), sentences)
                    + rng.normal(0, effect / np.sqrt(2 * sentences))
                )
                for _ in range(runs)
            ]

        system, baseline = outputs(sentence), outputs(-sentence)
        found = compare_systems(Mean(), system, baseline, paired=paired, resamples=200)
        alarms += found.p_value < 0.05
    # 3 standard deviations of a share of 600 about 4 to 6 %.
    assert 0.016 < alarms / comparisons < 0.09


def test_deviation_of_sampling_is_that_of_a_mean():
    edits = np.random.default_rng(3).integers(0, 8, 400)
    found = sample_runs(TER, [ter_rows(edits)] * 2, resamples=4000).sampling_deviation
    assert found == pytest.approx(100 / 10 * edits.std() / np.sqrt(400), rel=0.05)


def test_draws_are_those_of_the_metric_on_drawn_sentences():
    rng = np.random.default_rng(5)
    lines = [" ".join(f"w{i}" for i in rng.integers(6, size=9)) for _ in range(12)]
    others = [" ".join(f"w{i}" for i in rng.integers(6, size=9)) for _ in range(12)]
    statistics = BLEU.statistics(lines, [others])
    found = sample_runs(BLEU, [statistics], resamples=130, seed=7)
    drawn = np.random.Generator(np.random.PCG64(7)).integers(12, size=(100, 12))
    for place in (0, 99):
        expected = BLEU.corpus_score(
            [lines[i] for i in drawn[place]], [[others[i] for i in drawn[place]]]
        )
        assert found.draws[place, 0] == pytest.approx(expected.value)
    assert len(found.draws) == 130


def test_perplexities():
    rng = np.random.default_rng(6)
    model = rng.normal(-40, 10, 500)
    other = model - rng.normal(0.3, 2, 500)
    events = 5000
    found = compare_perplexities([model], [other], events)
    first, second = np.exp(-model.sum() / events), np.exp(-other.sum() / events)
    assert found.difference == pytest.approx(first - second)
    # The p of the difference of logarithms, which is a mean over sentences.
    assert found.p_value == pytest.approx(stats.ttest_rel(model, other).pvalue, abs=0.002)
    assert found.low < found.difference < found.high
    # Runs of a model that differ widen the interval, which is about the mean of their perplexities.
    runs = [model, model - 2.0]
    wider = compare_perplexities(runs, [other], events)
    mean = np.mean([np.exp(-run.sum() / events) for run in runs])
    assert wider.difference == pytest.approx(mean - second)
    assert wider.high - wider.low > 2 * (found.high - found.low)
    assert compare_perplexities([model], [model], events).p_value == 1
    with pytest.raises(InputError, match="of 500 sentences compared with runs of 499"):
        compare_perplexities([model], [other[:499]], events)


def test_sentences_of_thousands_of_words_have_a_perplexity():
    """Log-probabilities in steps of 1e-5 are beyond 32 bits; equal differences have no variance."""
    model = np.array([-30_000.0, -20.0])
    found = compare_perplexities([model], [model - 1], 4000)
    assert found.deviation == pytest.approx(0, abs=1e-4)


def test_the_mean_perplexity_may_be_higher_where_its_logarithm_is_lower():
    """Of 500 sentences of 10 events with perplexities of 40 and 62.5, and of 50.5.

    51.25 is more than 50.5, but the mean logarithm is that of 50, and a standard error is not
    negative: it is that of the logarithms, times the logarithmic mean of 51.25 and 50.5.
    """
    events = 5000
    varying, other = (
        [np.full(500, -10 * np.log(one)) for one in of] for of in ((40, 62.5), (50.5,))
    )
    found = compare_perplexities(varying, other, events)
    assert found.difference == pytest.approx(0.75, rel=1e-4)
    of_runs = np.std(np.log([40, 62.5]), ddof=1) / np.sqrt(2)
    assert found.deviation == pytest.approx(of_runs * 0.75 / np.log(51.25 / 50.5), rel=1e-4)
