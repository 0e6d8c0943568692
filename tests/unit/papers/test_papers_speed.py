"""Measured times: repetitions, and what they were measured on."""

from collections import Counter
from pathlib import Path

import pytest
from paper_artefacts import ROOT

from nlmt.decoder import DecoderSettings, translation_settings
from nlmt.lm import TrainingData
from nlmt.papers.complexity import _write_texts, measure_complexity
from nlmt.papers.complexity_tables import exponent
from nlmt.papers.speed import (
    measure_decoding,
    measure_rescoring,
    measure_training,
    parts_of_an_epoch,
)

GOLDEN = ROOT / "tests/golden"
MODEL = {"kind": "neural", "order": 3, "dim": 8, "output": "full", "minibatch": 100, "epochs": 9}


def test_training_is_measured_in_parts_of_an_epoch() -> None:
    data = TrainingData([GOLDEN / "train.en"], GOLDEN / "dev.en")
    measured = measure_training(
        {**MODEL, "search": {"learning_rate": [0.5, 0.1]}}, data, repetitions=2
    )
    words = (GOLDEN / "train.en").read_text(encoding="utf-8").split("\n")[:-1]
    assert measured["epoch_tokens"] == sum(len(line.split()) + 1 for line in words)
    for name in ("tokens_per_second", "seconds", "cpu_seconds", "load"):
        assert len(measured[name]) == 2
    assert min(measured["tokens_per_second"] + measured["cpu_seconds"]) > 0
    assert measured["threads"] == 1


def test_training_on_much_text_is_measured_on_a_million_tokens_of_it() -> None:
    assert parts_of_an_epoch(600_000, repetitions=3) == 3
    assert parts_of_an_epoch(15_794_774, repetitions=3) == 16


def test_decoding_is_measured_with_the_weights_that_are_given() -> None:
    lines = (GOLDEN / "dev.fr").read_text(encoding="utf-8").splitlines()[:5]
    decoder = translation_settings(DecoderSettings(pop_limit=50, stack=50))
    weights = {"Distortion0": [0.3]}
    for again in (False, True):
        measured = measure_decoding(
            GOLDEN / "moses.ini", decoder, weights, lines, repetitions=1, again=again
        )
        assert len(measured["seconds_a_sentence"]) == 1
        assert min(measured["seconds_a_sentence"]) > 0
        assert measured["sentences"] == 5


def test_rescoring_is_measured_with_requests_grouped_in_three_ways(short_list_model: Path) -> None:
    lines = ["this machine", "this house", "this machine"]
    measured = measure_rescoring(short_list_model, lines, repetitions=2)
    assert measured["requests"] == 9
    # The first word after <s> <s>; the second ones after <s> "this"; two ends of sentences.
    assert (measured["ngrams"], measured["contexts"]) == (5, 4)
    for speeds in measured["requests_per_second"].values():
        assert len(speeds) == 2
        assert min(speeds) > 0


def test_complexity_is_measured_of_every_output_layer(tmp_path: Path) -> None:
    measured = measure_complexity(
        [100, 1000], tmp_path / "complexity.json", dim=8, tokens=1500, repetitions=2
    )
    assert len(measured["points"]) == 2 * 4
    for point in measured["points"]:
        assert len(point["Training"]) == len(point["Exact Decoding"]) == 2
        assert min(point["Training"] + point["Exact Decoding"]) > 0
        assert all(len(facts["load"]) == 2 for facts in point["timing"].values())
    assert list(tmp_path.iterdir()) == []


def test_words_of_synthetic_texts_are_as_frequent_as_zipf_has_it(tmp_path: Path) -> None:
    data, length = _write_texts(tmp_path, 1000, 20_000)
    counts = Counter(data.texts[0].read_text(encoding="utf-8").split())
    assert len(counts) == 1000
    assert counts.total() == length >= 20_000
    assert counts["w0"] / counts["w9"] == pytest.approx(10, rel=0.01)
    assert counts["w0"] / counts["w99"] == pytest.approx(100, rel=0.05)
    assert data.classes is not None
    classes = Counter(line.split()[0] for line in data.classes.read_text().splitlines())
    assert len(classes) == 31
    assert set(classes.values()) == {32, 33}


def test_powers_are_fitted_over_logarithms() -> None:
    assert exponent([10, 100, 1000], [1, 10, 100]) == pytest.approx(1)
    assert exponent([10, 1000], [3, 30]) == pytest.approx(0.5)
