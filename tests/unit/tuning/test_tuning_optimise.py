"""All ways to find weights, each where the right answer is known."""

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.io.nbest import NbestList
from nlmt.tuning import (
    OBJECTIVES,
    ListTuner,
    Pool,
    Search,
    fold,
    list_tuner,
    mean_weights,
    optimise,
    pool_of_nbest,
)
from nlmt.tuning.mert import MertTuner
from nlmt.tuning.mira import MiraOptions, MiraTuner
from nlmt.tuning.trust_region import maximise
from nlmt.tuning.tuners import names_for

METHODS = names_for(ListTuner)
TRUE = np.array([0.5, -0.3, 0.2])


def statistics_of(words, objective):
    """Statistics of hypotheses of ten words, so many of them right at the start and all in place.

    Each word is one character, so that chrF can be counted by hand too.
    """
    words = np.asarray(words)
    bleu = [v for n in range(4) for v in (np.maximum(words - n, 0), np.full_like(words, 10 - n))]
    ter = [10 - words, np.full_like(words, 10)]
    chrf = [
        v
        for n in range(6)
        for v in (np.full_like(words, 10 - n), np.full_like(words, 10 - n), words - n)
    ]
    columns = {
        "bleu": [*bleu, np.full_like(words, 10)],
        "ter": ter,
        "ter-bleu": [*bleu, np.full_like(words, 10), *ter],
        "chrf": [np.maximum(column, 0) for column in chrf],
    }
    return np.stack(columns[objective], axis=1).astype(np.int32)


def linear_pool(objective="bleu", sentences=40, size=15, seed=1):
    """Lists whose quality falls as `TRUE` times the features does, but for its rounding."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(sentences * size, 3))
    scores = features @ TRUE
    words = np.clip(np.rint(6 + 4 * scores), 1, 10).astype(int)
    sentence = np.repeat(np.arange(sentences, dtype=np.int32), size)
    names = [("LM0", 1), ("TM0", 2)]
    return Pool(
        sentence, features, statistics_of(words, objective), names, OBJECTIVES.get(objective)
    )


def angle(weights):
    """Cosine of the angle between weights and `TRUE`."""
    return weights @ TRUE / np.linalg.norm(weights) / np.linalg.norm(TRUE)


@pytest.mark.threads
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("objective", OBJECTIVES.names())
def test_true_weights_are_found(method, objective):
    pool = linear_pool(objective)
    start = np.array([0.1, 0.5, -0.4])
    found = optimise(pool, [start], list_tuner(method), Search(restarts=5))
    lists = pool.lists()
    assert found.value == lists.value(found.weights)
    assert found.value > lists.value(start)
    assert found.value >= lists.value(TRUE) - 0.01
    assert angle(found.weights) > 0.95
    assert np.abs(found.weights).sum() == pytest.approx(1)
    again = optimise(pool, [start], list_tuner(method), Search(restarts=5, threads=3))
    assert again.weights.tobytes() == found.weights.tobytes()


@pytest.mark.parametrize("name", OBJECTIVES.names())
def test_compiled_objective_is_that_of_the_metrics(name):
    objective = OBJECTIVES.get(name)
    pool = linear_pool(objective.name, sentences=30)
    for weights in np.random.default_rng(3).normal(size=(10, 3)):
        winners = pool.offsets()[:-1] + pool.lists().winners(weights)
        sums = pool.statistics[winners].sum(axis=0)
        assert pool.lists().value(weights) == pytest.approx(float(objective.value(sums)), abs=1e-12)


def test_objectives_by_hand():
    rows = statistics_of([8], "ter-bleu")
    bleu = (8 / 10 * 7 / 9 * 6 / 8 * 5 / 7) ** 0.25
    assert OBJECTIVES.get("ter-bleu").value(rows[0]) == pytest.approx((bleu - 0.2) / 2)
    assert OBJECTIVES.get("ter").value(rows[0, 9:]) == pytest.approx(-0.2)
    # BLEU+1: one more match and total in each order above the first.
    smoothed = (8 / 10 * 8 / 10 * 7 / 9 * 6 / 8) ** 0.25
    assert OBJECTIVES.get("bleu").sentence_values(rows[:, :9]) == pytest.approx([smoothed])
    with pytest.raises(InputError, match=r"unknown objective 'wer'.*allowed: bleu, ter"):
        OBJECTIVES.get("wer")


@pytest.mark.parametrize("method", METHODS)
def test_lists_of_one_and_equal_hypotheses_are_survived(method):
    names = [("LM0", 1), ("TM0", 1)]
    single = Pool(np.array([0, 2], np.int32), np.eye(2), statistics_of([5, 7], "bleu"), names)
    equal = Pool(np.zeros(4, np.int32), np.ones((4, 2)), statistics_of([5, 5, 7, 7], "bleu"), names)
    for pool in (single, equal):
        start = np.array([0.6, 0.4])
        found = optimise(pool, [start], list_tuner(method), Search(restarts=2))
        assert np.isfinite(found.weights).all()
        assert found.value == pytest.approx(pool.lists().value(start))


def test_mira_takes_the_step_of_the_paper():
    # Two hypotheses: the first update is min(C, loss / |difference|^2) times the difference.
    pool = Pool(
        np.zeros(2, np.int32),
        np.array([[0.0, 0.0], [2.0, 1.0]]),
        statistics_of([4, 10], "ter"),
        [("LM0", 2)],
        OBJECTIVES.get("ter"),
    )
    start = np.array([-0.1, 0.0])
    document = np.ones(2)
    quality = [-(s[0] + 1) / (s[1] + 1) * (s[1] + 1) for s in pool.statistics + document - 1]
    loss = quality[1] - quality[0] - pool.features[1] @ start
    assert loss > 0
    step = min(0.01, loss / 5)
    found = MiraTuner(MiraOptions(epochs=1)).find(pool, [start], Search())
    # The better one wins only after longer; the average of one update is that update.
    assert pool.lists().value(start + step * pool.features[1]) == pool.lists().value(start)
    assert found.tolist() == start.tolist()
    assert pool.lists().value(MiraTuner(MiraOptions(epochs=60)).find(pool, [start], Search())) == 0


def test_only_some_features_are_tuned():
    pool = linear_pool()
    start = np.array([-0.2, -0.6, 0.4])  # the features of TM0 stand to each other as they should
    found = optimise(pool, [start], MertTuner(), Search(tuned=["LM0"], restarts=3))
    assert found.weights[1] / found.weights[2] == pytest.approx(-0.3 / 0.2)
    assert angle(found.weights) > 0.99
    folding = fold(pool, ["LM0"], start)
    point = folding.shrink(start)
    assert np.allclose(folding.expand(point), start)
    assert folding.pool.lists().value(point) == pytest.approx(pool.lists().value(start))
    assert fold(pool, [], start).pool is pool
    with pytest.raises(InputError, match=r"no feature NLM0 to tune.*there are LM0, TM0"):
        optimise(pool, [start], MertTuner(), Search(tuned=["NLM0"]))


def test_features_left_out_take_no_part():
    pool = linear_pool()
    start = np.array([0.1, 0.5, -0.4])
    found = optimise(pool, [start], MertTuner(), Search(left_out=["TM0.0"], restarts=3))
    assert found.weights[1] == 0
    without = Pool(
        pool.sentence, pool.features[:, [0, 2]], pool.statistics, [("LM0", 1), ("TM0", 1)]
    )
    expected = optimise(without, [start[[0, 2]]], MertTuner(), Search(restarts=3))
    assert found.weights[[0, 2]].tobytes() == expected.weights.tobytes()
    # The rest is one feature, and what is left out no part of it.
    some = optimise(
        pool, [start], MertTuner(), Search(tuned=["LM0"], left_out=["TM0.0"], restarts=3)
    )
    assert some.weights[1] == 0
    assert some.weights[2] != 0
    assert fold(pool, ["LM0"], start, left_out=["TM0"]).pool.names == [("LM0", 1)]
    assert fold(pool, ["TM0.1"], start).pool.names == [("TM0", 1), ("rest", 1)]


def test_hypotheses_that_differ_in_nothing_else_are_one():
    nbest = NbestList(
        np.zeros(3, np.int32), ["a", "b", "c"], np.arange(3, dtype=np.int32), np.arange(4),
        np.array([[1.0, 2.0], [1.0, 3.0], [2.0, 2.0]]), [("LM0", 1), ("TM0", 1)], np.zeros(3),
    )  # fmt: skip
    assert len(pool_of_nbest(nbest, [["a"]])) == 3
    pool = pool_of_nbest(nbest, [["a"]], left_out=["TM0"])
    assert pool.features.tolist() == [[1, 0], [2, 0]]


def test_ensembles_are_means_of_runs():
    mean = mean_weights([np.array([2.0, 2.0]), np.array([0.5, -0.5])])
    assert mean.tolist() == [1.0, 0.0]
    pool = linear_pool()
    single = optimise(pool, [TRUE], MertTuner(), Search(restarts=3, seed=4))
    several = optimise(pool, [TRUE], MertTuner(), Search(restarts=3, seed=4, runs=3))
    assert several.weights.tobytes() != single.weights.tobytes()
    assert angle(several.weights) > 0.98


def test_bad_requests_are_named():
    pool = linear_pool()
    with pytest.raises(InputError, match="unknown tuner 'sgd'"):
        list_tuner("sgd")
    with pytest.raises(InputError, match=r"lattice-mert works on lattices .*mert, pro"):
        list_tuner("lattice-mert")
    with pytest.raises(InputError, match=r"pro\.kept: 0 must be at least 1"):
        list_tuner("pro", {"kept": 0})
    with pytest.raises(InputError, match="no point to start from"):
        optimise(pool, [], MertTuner(), Search())
    with pytest.raises(InputError, match="0 runs"):
        optimise(pool, [TRUE], MertTuner(), Search(runs=0))
    with pytest.raises(InputError, match="hypotheses for bleu and for ter"):
        pool.merge([linear_pool("ter")])


@pytest.mark.parametrize("width", [1, 2, 10])
def test_trust_region_finds_the_top_of_a_quadratic(width):
    rng = np.random.default_rng(width)
    root = rng.normal(size=(width, width))
    curvature, top = root @ root.T / width + 0.2 * np.eye(width), rng.normal(size=width)
    point, value = maximise(
        lambda x: float(3 - (x - top) @ curvature @ (x - top)), np.zeros(width), evaluations=400
    )
    assert np.abs(point - top).max() < 0.01
    assert value == pytest.approx(3, abs=1e-3)


def test_trust_region_climbs_a_curved_ridge(monkeypatch):
    monkeypatch.setattr("nlmt.tuning.trust_region._LAST_RADIUS", 1e-6)
    # Rosenbrock's function, upside down; the top is at (1, 1).
    point, _ = maximise(
        lambda x: float(-100 * (x[1] - x[0] ** 2) ** 2 - (1 - x[0]) ** 2),
        np.array([-1.2, 1.0]),
        evaluations=300,
    )
    assert point == pytest.approx([1, 1], abs=1e-3)


def test_trust_region_survives_steps_and_flat_functions():
    top = np.array([0.7, -1.1, 0.4])
    _, value = maximise(
        lambda x: float(np.round(-np.square(x - top).sum() * 4) / 4), np.zeros(3), evaluations=300
    )
    assert value == 0
    point, value = maximise(lambda x: 1.0, np.ones(3), evaluations=50)
    assert value == 1
    assert np.isfinite(point).all()
