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
            ".allowed: class-factored, tree-factored, full, short",
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
        ({"learning_rate": "1e-3"}, r"rate: '1e-3' is not a number \(.*write 1.0e-3\)"),
        ({"engine": "kernel", "precision": "bfloat16"}, "kernel trains on the CPU and in single"),
        ({"engine": "kernel", "device": "gpu"}, "kernel trains on the CPU"),
        ({"tree": "brown"}, "tree has no effect with output: class-factored .*tree-factored"),
        ({"objective": "likelihood", "noise": 5}, "noise has no effect with objective: likelihood"),
        ({"alpha": 0.1}, "alpha has no effect with objective: nce .*self-normalised"),
        ({"optimiser": "sgd", "initial_square": 1}, "initial_square has no effect"),
        ({"halving_start": 0.2}, "halving_start has no effect with schedule: linear"),
        ({"network": "lstm", "order": 5}, "order has no effect with network: lstm"),
        ({"unroll": 5}, "unroll has no effect with network: feed-forward .*elman or gru or lstm"),
        ({"network": "elman", "layers": 2}, "layers has no effect with network: elman"),
        ({"network": "gru", "direct_order": 2}, "direct_order has no effect .*features: above 0"),
        ({"direct_features": 9}, "direct_features has no effect with network: feed-forward"),
        ({**GRU, "network": "transformer", "engine": "kernel"}, "engine: kernel is not for"),
        ({**GRU, "network": "transformer", "dim": 100}, "dim: 100 is not a multiple of twice"),
        ({"output": "tree-factored"}, "objective: nce is not for output: tree-factored"),
        ({"max_words": 10}, "max_words has no effect with output: class-factored"),
        ({**GRU, "source": "window"}, "for network: feed-forward, not for gru"),
        ({"source": "lsa", "source_bits": 20}, "source_bits has no effect with source: lsa"),
        ({"transform_rates": [0.1]}, "transform_rates has no effect with source: none"),
        ({"source": "transform", "transform_rates": [2.0]}, "transform_rates"),
        ({"source": "transform", "transform_rates": []}, "transform_rates"),
        ({"search": {"dim": [10, 20]}}, "search.dim"),
        ({"search": {"epochs": []}}, "search: no values for 'epochs'"),
        ({"search": {"epochs": [1, 0]}}, "epochs: 0 must be at least 1"),
        ({"search": {"halving_start": [0.2]}}, "search.halving_start has no effect"),
    ],
)
def test_mistakes_are_named_with_what_is_allowed(settings, says):
    with pytest.raises(InputError, match=says):
        NeuralConfig.from_dict(settings)
