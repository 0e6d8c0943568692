import pytest

from nlmt.errors import InputError
from nlmt.neural import NeuralConfig

GRU = {"network": "gru", "objective": "likelihood"}


def test_round_trip():
    config = NeuralConfig.from_dict(
        {"kind": "neural", "order": 3, "hidden": [4, 5], "dropout": 0, "objective": "likelihood"}
    )
    assert config.hidden == (4, 5)
    assert config.context == 2
    assert config.hidden_dim == 5
    assert config.dropout == 0.0
    assert NeuralConfig.from_dict(config.to_dict()) == config
    config = NeuralConfig.from_dict({**GRU, "direct_features": 9, "direct_order": 2, "layers": 3})
    assert config.hidden_dim == 200
    assert NeuralConfig.from_dict(config.to_dict()) == config


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"ordr": 5}, "ordr: unknown key .did you mean 'order'"),
        (
            {"output": "tree"},
            "output: 'tree' is not allowed .allowed: class-factored, tree-factored, full, short",
        ),
        ({"order": 1}, "order: 1 must be at least 2"),
        ({"order": "5"}, "order: '5' is not a whole number"),
        ({"epochs": True}, "epochs"),
        ({"dropout": 1.0}, "dropout: 1.0 must be at most 0.9"),
        ({"noise": 2001}, "noise: 2001 must be at most 2000"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"hidden": [0]}, "hidden"),
        ({"hidden": 200}, "hidden"),
        ({"hidden": [10**12]}, "hidden.0: .* at most 8192"),
        ({"kind": "ngram"}, "kind: 'ngram' is not neural"),
        ({"resampling": [1, 0]}, "resampling.1: 0 must be more than 0"),
    ],
)
def test_mistakes_name_key_and_allowed_values(settings, says):
    with pytest.raises(InputError, match=says):
        NeuralConfig.from_dict(settings)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"engine": "kernel", "precision": "bfloat16"}, "kernel trains on the CPU and in single"),
        ({"engine": "kernel", "device": "gpu"}, "kernel trains on the CPU"),
        ({"tree": "brown"}, "tree has no effect with output: class-factored .*tree-factored"),
        ({"objective": "likelihood", "noise": 5}, "noise has no effect with objective: likelihood"),
        ({"alpha": 0.1}, "alpha has no effect with objective: nce .*self-normalised"),
        ({"optimiser": "sgd", "initial_square": 1}, "initial_square has no effect"),
        ({"halving_epoch": 2}, "halving_epoch has no effect with schedule: linear"),
        ({"network": "lstm", "order": 5}, "order has no effect with network: lstm"),
        ({"unroll": 5}, "unroll has no effect with network: feed-forward .*elman or gru or lstm"),
        ({"network": "elman", "layers": 2}, "layers has no effect with network: elman"),
        ({"network": "gru", "direct_order": 2}, "direct_order has no effect .*features: above 0"),
        ({"direct_features": 9}, "direct_features has no effect with network: feed-forward"),
        ({**GRU, "network": "transformer", "engine": "kernel"}, "engine: kernel is not for"),
        ({**GRU, "network": "transformer", "dim": 100}, "dim: 100 is not a multiple of twice"),
        ({"output": "tree-factored"}, "objective: nce is not for output: tree-factored"),
    ],
)
def test_settings_that_make_no_sense_together(settings, says):
    with pytest.raises(InputError, match=says):
        NeuralConfig.from_dict(settings)


def test_numbers_that_yaml_takes_for_words():
    with pytest.raises(
        InputError, match=r"learning_rate: '1e-3' is not a number \(.*write 1.0e-3\)"
    ):
        NeuralConfig.from_dict({"learning_rate": "1e-3"})
