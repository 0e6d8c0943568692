"""The models that `python -m benchmarks neural_gpu | neural_sentences` measures train, in small."""

import pytest

from benchmarks import neural_gpu, neural_sentences


@pytest.mark.parametrize("name", neural_gpu.MODELS)
def test_each_model_of_the_papers_is_measured(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neural_gpu, "SECONDS", 0.0)
    _, settings, days = neural_gpu.MODELS[name]
    small = {**settings, "dim": 8, "minibatch": 60}
    pace, projection = neural_gpu.measure(name, 100, small, days, 1e9, gpu=False)
    assert pace["figure"] > 0
    assert projection["figure"] == pytest.approx(2e9 / pace["figure"] / 86_400, rel=0.01, abs=0.01)


@pytest.mark.parametrize("name", neural_sentences.MODELS)
def test_each_network_over_sentences_is_measured(name, texts):
    settings = neural_sentences.MODELS[name]
    small = {**settings, "dim": 8, "minibatch": min(settings["minibatch"], 60)}
    if "direct_features" in small:
        small["direct_features"] = 1000
    train, dev, classes = texts
    row = neural_sentences.measure(name, small, train, dev, classes)
    assert row["figure"] > 0
    assert row["note"].endswith("after one epoch")
