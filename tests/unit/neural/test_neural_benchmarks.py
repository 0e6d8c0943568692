"""Benchmarks of neural models in small, and costs of models by hand."""

import csv
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from benchmarks import gpu_check, neural_cpu, neural_gpu, neural_rehearsal, neural_sentences
from benchmarks.frames import measured
from benchmarks.neural_costs import (
    drawn,
    minibatch_bytes,
    parameter_count,
    products,
    token_bytes,
    training_bytes,
)
from nlmt.lm.kinds import TrainingData
from nlmt.neural import NeuralConfig, kind
from nlmt.neural.kind import _ENCODED_TOKENS, NEURAL
from nlmt.neural.outputs.classes import WordClasses
from nlmt.neural.outputs.full import Flat
from nlmt.neural.parameters import TrainingState
from nlmt.neural.score.ngrams import NgramScorer
from nlmt.neural.settings.neural import NeuralSettings
from nlmt.neural.torch_backend.engine import WindowEngine
from nlmt.neural.torch_backend.output import TorchOutputLayer
from nlmt.neural.train.ranks import ALONE
from nlmt.settings_check import read_settings

RESULTS = Path(__file__).parents[3] / "docs/results"
LIKELIHOOD = {"objective": "likelihood"}
DEEP = {"projection": "concatenation", "hidden": [6, 5]}
CLASSES = WordClasses(np.repeat(np.arange(3, dtype=np.int32), 4))  # 12 words, 3 classes of 4


@pytest.mark.parametrize("name", neural_gpu.MODELS)
def test_each_model_of_the_papers_is_measured(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neural_gpu, "SECONDS", 0.0)
    _, settings, days = neural_gpu.MODELS[name]
    small = {**settings, "dim": 16, "minibatch": 60}
    pace, share, projection = neural_gpu.measure(name, 100, small, days, {"float32": (1e9, 1e9)})
    assert pace["figure"] > 0
    assert share["unit"] == "% of the ceiling"
    # Both are rounded, which counts where a busy machine trains few tokens a second.
    most, least = (2e9 / 86_400 / (pace["figure"] + error) for error in (-0.5, 0.5))
    assert least - 0.01 < projection["figure"] < most + 0.01


def asked_over_measured(name: str, threads: int, pace: str) -> float:
    """The time that training asks for on so many threads, over the time it takes at this pace."""
    model, _, dim = name.partition(", D ")
    words, settings, _ = neural_gpu.MODELS[model]
    keys = {"kind": "neural", "epochs": 1, **settings, **({"dim": int(dim)} if dim else {})}
    with mock.patch.object(kind, "_TYPICAL_WORDS", words):  # which no plan knows
        resources = NEURAL.plan(read_settings(NeuralSettings, keys)).resources
    assert resources.threads == 8
    asked = resources.minutes(1e6, threads) - resources.runtime
    return asked / (1e6 * _ENCODED_TOKENS / float(pace) / 60)


def results(name: str) -> list[dict[str, str]]:
    """The rows of a table of docs/results that are speeds of models."""
    with (RESULTS / f"{name}.tsv").open(encoding="utf-8", newline="") as stream:
        return [row for row in csv.DictReader(stream, delimiter="\t") if row["unit"] == "tokens/s"]


def test_training_asks_for_the_time_that_it_takes_on_its_threads() -> None:
    """Of no model for less, and for at most five times as much on the fastest machine."""
    threads = [
        (row["step"], int(row["setting"]), row["figure"]) for row in results("neural_threads")
    ]
    within = [row for row in threads if row[1] <= 8]
    slower = [(row["step"], 2, row["figure"]) for row in results("neural_cpu")]
    assert (len(within), len(slower)) == (16, 7)
    for row in (*within, *slower):
        assert 1 < asked_over_measured(*row) < 5, row


def test_training_on_a_gpu_and_in_small_minibatches_asks_for_no_less_on_eight_threads() -> None:
    for keys in ({"device": "gpu"}, {"minibatch": 8}):
        settings = read_settings(NeuralSettings, {"kind": "neural", **keys})
        resources = NEURAL.plan(settings).resources
        one = resources.runtime_per_mb * 1000
        assert resources.minutes(1000, 8) == pytest.approx(resources.runtime + one, abs=1)


def test_a_gpu_is_not_measured_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    # So that the frame of one remains.
    monkeypatch.setattr(neural_gpu.torch.cuda, "is_available", lambda: False)
    assert not any(map(measured, neural_gpu.run()))


@pytest.mark.parametrize("name", [*neural_cpu.BY_SIZE, *neural_cpu.NAMES])
def test_each_model_on_the_processor(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neural_gpu, "SECONDS", 0.0)
    small = {**neural_gpu.MODELS[name][1], "dim": 16, "minibatch": 60}
    ceilings = {"a": 1e6, "b": 1e3, "c": 1e3}
    pace, *costs, first, second, third = neural_cpu.measure(name, 100, small, ceilings, 1)
    assert pace["unit"] == "tokens/s"
    for cost, share in zip(costs, (first, second, third), strict=True):
        assert share["figure"] == pytest.approx(100 * pace["figure"] * cost["figure"], rel=0.01)


@pytest.mark.parametrize("name", neural_rehearsal.NAMES)
def test_each_model_is_rehearsed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neural_rehearsal, "SECONDS", 1e-9)
    small = {**neural_gpu.MODELS[name][1], "dim": 16, "minibatch": 60}
    alone, *rows, rounds = neural_rehearsal.measure(name, 100, small)
    assert (alone["setting"], alone["unit"]) == ("on 1", "% serial")
    assert [row["unit"] for row in rows] == ["times as fast", "% serial"] * 3
    assert all(row["figure"] >= 0 for row in rows)
    assert all(row["figure"] <= 100 for row in (alone, *rows[1::2]))  # %, on a busy machine, too
    assert rounds["figure"] > 1


@pytest.mark.parametrize("name", gpu_check.CASES)
def test_each_case_for_a_gpu_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # On the CPU the results are those that it is compared with.
    monkeypatch.setattr(gpu_check, "STEPS", 2)
    lines, good = zip(*gpu_check.check(name, gpu_check.CASES[name], "cpu"), strict=True)
    assert all(good), lines


@pytest.mark.parametrize(
    "name", ["nce", "nce, full output", "classes", "context matrices", "tree", "deep", "cslm"]
)
def test_torch_scores_n_grams_as_the_kernel_does(name: str) -> None:
    """So the dev perplexity is right while a GPU trains."""
    counts = neural_gpu.zipf_counts(300)
    keys = {**gpu_check.CASES[name], "engine": "torch", "device": "cpu"}
    config = NeuralConfig.from_dict(keys)
    layout, _ = neural_gpu.make_layout(config, counts)
    first = neural_gpu.first_parameters(config, layout, counts)
    engine = WindowEngine(config, layout, counts, TrainingState.first(first, config), 1, ALONE)
    batches = neural_gpu.make_minibatches(config, neural_gpu.Words(counts), 600)
    neural_gpu.take(engine, batches, 0)  # not the first parameters
    ngrams = neural_gpu.Words(counts).draw(500, config.order)
    contexts, words = np.ascontiguousarray(ngrams[:, :-1]), ngrams[:, -1].copy()
    network = engine._network
    parts = config, layout, network.scored_hidden, TorchOutputLayer(network.output)
    scorer = NgramScorer(*parts, 1, None)
    for normalised in (True, False):
        ours, theirs = (
            one.ngrams(contexts, words, normalised=normalised)[0]
            for one in (scorer, engine.scorer())
        )
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_least_time_of_a_step() -> None:
    settings = {"output": "full", "objective": "likelihood", "optimiser": "sgd", "minibatch": 10}
    config = NeuralConfig.from_dict(
        {**settings, "order": 3, "dim": 4, "projection": "concatenation", "hidden": [5]}
    )
    # A token: 8 x 5 and 5 x 100 multiplications; 45 + 600 numbers of dense weights and biases a
    # minibatch, two rows of 4, each read twice by the two passes and read and written by the step.
    by_operations = neural_gpu.least_seconds(config, Flat(100), 0.0, 1.0, 1e12)
    assert by_operations == 6 * (8 * 5 + 5 * 100)
    by_bytes = neural_gpu.least_seconds(config, Flat(100), 0.0, 1e12, 1.0)
    assert by_bytes == pytest.approx(4 * 4 * (2 * 4 + (8 * 5 + 5 + 5 * 100 + 100) / 10))


COUNTS = np.array([0.0, 1.0, 2.0, 1.0] + 8 * [0.0])  # of words of the first class


def test_words_among_draws() -> None:
    assert drawn(COUNTS, 2)[:4] == pytest.approx([0, 7 / 16, 3 / 4, 7 / 16])


@pytest.mark.parametrize(
    ("settings", "layout", "token", "minibatch"),
    [
        # Two words of context; the target and two samples, of classes and of words.
        (
            {"noise": 2},
            CLASSES,
            2 * (2 * 10 + 6 * 10),
            6 * (3 * 10 + 2 * 10 + 3 * 11 + 12 + 3 * 10),
        ),
        # All four words of the only class that occurs.
        (LIKELIHOOD, CLASSES, 2 * 20, 6 * (3 * 10 + 2 * 10 + 3 * 11 + 12 + 4 * 10)),
        ({**LIKELIHOOD, "output": "full"}, Flat(12), 2 * 20, 6 * (3 * 10 + 2 * 10 + 12 * 11)),
    ],
    ids=str,
)
def test_traffic_by_hand(settings, layout, token, minibatch):
    config = NeuralConfig.from_dict({"dim": 10, "order": 3, "minibatch": 1000} | settings)
    assert token_bytes(config, layout) == 4 * token
    assert minibatch_bytes(config, layout, COUNTS) == pytest.approx(4 * minibatch)


@pytest.mark.parametrize("name", neural_sentences.MODELS)
def test_each_network_over_sentences_is_measured(name, texts):
    settings = neural_sentences.MODELS[name]
    small = {**settings, "dim": 8, "epochs": 1}
    if "direct_features" in small:
        small["direct_features"] = 1000
    train, dev, classes = texts
    files = TrainingData([train], dev, classes, test=dev)
    dev_row, test_row, pace = neural_sentences.measure(name, small, files)
    assert dev_row["figure"] == test_row["figure"] > 0
    assert pace["figure"] > 0


@pytest.mark.parametrize(
    ("settings", "layout", "by_hand"),
    [
        ({"noise": 7}, CLASSES, 10 * (8 + 8)),
        (LIKELIHOOD, CLASSES, 10 * (3 + 4)),
        ({"output": "full", "noise": 7}, Flat(12), 10 * 8),
        ({**LIKELIHOOD, "output": "full", "hidden": [6]}, Flat(12), 60 + 6 * 12),
        ({**LIKELIHOOD, "output": "full", "projection": "full"}, Flat(12), 4 * 100 + 120),
        ({**LIKELIHOOD, **DEEP}, CLASSES, 40 * 6 + 6 * 5 + 5 * 7),
        ({**LIKELIHOOD, "network": "lstm", "layers": 2}, CLASSES, 2 * 800 + 70),
    ],
    ids=str,
)
def test_products_by_hand(settings, layout, by_hand):
    config = NeuralConfig.from_dict({"dim": 10} | settings)
    assert products(config, layout, path=4) == by_hand


def test_memory_by_hand():
    config = NeuralConfig.from_dict({"dim": 10, "optimiser": "adam"})
    # Embeddings, contexts, classes, words.
    numbers = 12 * 10 + 4 * 10 + 3 * 11 + 12 * 11
    assert parameter_count(config, CLASSES) == numbers
    assert training_bytes(config, CLASSES) == 4 * 4 * numbers
