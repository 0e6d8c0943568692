"""Measured times: repetitions, and what they were measured on."""

from pathlib import Path

import pytest
from paper_artefacts import ROOT

from nlmt.decoder import DecoderSettings, translation_settings
from nlmt.kinds import KINDS
from nlmt.lm import TrainingData
from nlmt.papers import speed
from nlmt.papers.complexity import exponent, measure_complexity
from nlmt.papers.speed import decoding_speed, processor, rescoring_speed, training_speed
from nlmt.settings_check import read_settings

GOLDEN = ROOT / "tests/golden"
MODEL = {"kind": "neural", "order": 3, "dim": 8, "output": "full", "minibatch": 100, "epochs": 9}


def test_training_is_measured_in_parts_of_an_epoch() -> None:
    data = TrainingData([GOLDEN / "train.en"], GOLDEN / "dev.en")
    measured = training_speed(
        {**MODEL, "search": {"learning_rate": [0.5, 0.1]}}, data, repetitions=3
    )
    assert len(measured["tokens_per_second"]) == 3
    assert min(measured["tokens_per_second"]) > 0
    assert measured["threads"] == 1


def test_decoding_is_measured_with_the_weights_that_are_given() -> None:
    lines = (GOLDEN / "dev.fr").read_text(encoding="utf-8").splitlines()[:5]
    decoder = translation_settings(DecoderSettings(pop_limit=50, stack=50))
    weights = {"Distortion0": [0.3]}
    for again in (False, True):
        measured = decoding_speed(
            GOLDEN / "moses.ini", decoder, weights, lines, repetitions=3, again=again
        )
        assert len(measured["seconds_a_sentence"]) == 3
        assert min(measured["seconds_a_sentence"]) > 0
        assert measured["sentences"] == 5


def test_rescoring_is_measured_with_requests_grouped_in_three_ways(tmp_path: Path) -> None:
    data = TrainingData([GOLDEN / "train.en"], GOLDEN / "dev.en")
    settings = {"output": "short-list", "short_list": 50, "objective": "likelihood", "epochs": 1}
    kind = KINDS.get("neural")
    kind.train(read_settings(kind.settings, {**MODEL, **settings}), data, tmp_path, threads=1)
    lines = ["this machine", "this house", "this machine"]
    measured = rescoring_speed(tmp_path, lines, repetitions=2)
    assert measured["requests"] == 9
    # The first word after <s> <s>; the second ones after <s> "this"; two ends of sentences.
    assert (measured["ngrams"], measured["contexts"]) == (5, 4)
    for speeds in measured["requests_per_second"].values():
        assert len(speeds) == 2
        assert min(speeds) > 0


def test_complexity_is_measured_of_every_output_layer(tmp_path: Path) -> None:
    measured = measure_complexity(
        [100, 3000], tmp_path / "complexity.json", dim=8, tokens=50, repetitions=2
    )
    assert len(measured["points"]) == 2 * 4
    for point in measured["points"]:
        assert len(point["Training"]) == len(point["Exact Decoding"]) == 2
        assert min(point["Training"] + point["Exact Decoding"]) > 0
    assert list(tmp_path.iterdir()) == []


def test_powers_are_fitted_over_logarithms() -> None:
    assert exponent([10, 100, 1000], [1, 10, 100]) == pytest.approx(1)
    assert exponent([10, 1000], [3, 30]) == pytest.approx(0.5)


def test_a_processor_without_a_name_is_its_architecture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text("processor\t: 0\nmodel name\t: Some  CPU @ 2 GHz\nmodel name\t: Other\n")
    monkeypatch.setattr(speed, "CPU_INFO", info)
    assert processor() == "Some CPU @ 2 GHz"
    info.write_text("processor\t: 0\n")
    assert processor() != ""
