"""The models that `python -m benchmarks neural_gpu` measures train, in small, without a GPU."""

import pytest

from benchmarks import neural_gpu


@pytest.mark.parametrize("name", neural_gpu.MODELS)
def test_each_model_of_the_papers_is_measured(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neural_gpu, "SECONDS", 0.0)
    _, settings, days = neural_gpu.MODELS[name]
    small = {**settings, "dim": 8, "minibatch": 60}
    pace, projection = neural_gpu.measure(name, 100, small, days, 1e9, gpu=False)
    assert pace["figure"] > 0
    assert projection["figure"] == pytest.approx(2e9 / pace["figure"] / 86_400, rel=0.01, abs=0.01)
