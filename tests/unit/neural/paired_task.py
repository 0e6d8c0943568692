"""The task of learning from the texts of the fixture `pairs`."""

from nlmt.lm.kinds import SourceFiles, TrainingData
from nlmt.neural import NeuralConfig, Task


def read_pairs(pairs, embeddings=None, **settings):
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

    def side(name):
        links = pairs / f"{name}.a" if config.needs_alignment else None
        return SourceFiles(pairs / f"{name}.f", links)

    if config.source != "none":
        sides = {"sources": [side("train")], "dev_source": side("dev")}
    files = TrainingData([pairs / "train.e"], pairs / "dev.e", pairs / "classes", **sides)
    return Task.read(config, files, source_embeddings=embeddings)
