"""The task of learning from the texts of the fixture `pairs`."""

from nlmt.lm.kinds import SourceFiles, TrainingData
from nlmt.neural import NeuralConfig, Task


def read_pairs(pairs, embeddings=None, aligned=None, **settings):
    """The task of a small model, by default with the source sentence's vector by LSA."""
    small = {
        "network": "elman",
        "objective": "likelihood",
        "dim": 16,
        "source": "lsa",
        "dropout": 0,
        "minibatch": 20,
        "epochs": 5,
        "learning_rate": 0.1,
        **settings,
    }
    if small["source"] != "none":
        small["source_dim"] = settings.get("source_dim", 6)
    config, sides = NeuralConfig.from_dict(small), {}
    aligned = config.needs_alignment if aligned is None else aligned

    def side(name):
        return SourceFiles(pairs / f"{name}.f", pairs / f"{name}.a" if aligned else None)

    if config.source != "none":
        sides = {"sources": [side("train")], "dev_source": side("dev")}
    files = TrainingData([pairs / "train.e"], pairs / "dev.e", pairs / "classes", **sides)
    return Task.read(config, files, source_embeddings=embeddings)
