from pathlib import Path

import numpy as np
import pytest
import torch

from nlmt.classes import brown_cluster, count_bigrams, write_paths
from nlmt.cli import main
from nlmt.lm.kinds import TrainingData
from nlmt.neural import NeuralConfig, Task

GOLDEN = Path(__file__).parents[2] / "golden"

# On a busy machine threads that share small products wait for each other many times as long.
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def texts(tmp_path_factory):
    """A training text, a dev text and the classes of the first."""
    folder = tmp_path_factory.mktemp("texts")
    lines = (GOLDEN / "train.en").read_text(encoding="utf-8").splitlines()
    (folder / "train").write_text("\n".join(lines[:400]) + "\n", encoding="utf-8")
    (folder / "dev").write_text("\n".join(lines[400:480]) + "\n", encoding="utf-8")
    write_paths(brown_cluster(count_bigrams(lines[:400]), 20), folder / "classes")
    return folder / "train", folder / "dev", folder / "classes"


@pytest.fixture(scope="session")
def pairs(tmp_path_factory):
    """Target sentences whose words follow from the source, far from them in the history."""
    folder = tmp_path_factory.mktemp("pairs")
    random = np.random.default_rng(3)
    for name, count in (("train", 400), ("dev", 80)):
        rows = [random.choice(list("abcdef"), random.integers(1, 5)) for _ in range(count)]
        (folder / f"{name}.f").write_text("".join(" ".join(row) + "\n" for row in rows))
        lines = [" ".join(w.upper() for w in row) for row in rows]
        (folder / f"{name}.e").write_text("".join(line + "\n" for line in lines))
        links = [" ".join(f"{i}-{i}" for i in range(len(row))) for row in rows]
        (folder / f"{name}.a").write_text("".join(line + "\n" for line in links))
        if name == "train":
            write_paths(brown_cluster(count_bigrams(lines), 4), folder / "classes")
    return folder


@pytest.fixture
def run(capsys):
    """Runs a command of `nlmt lm`; what it prints."""

    def call(*arguments, status=0):
        assert main(["lm", *map(str, arguments)]) == status
        return capsys.readouterr()

    return call


@pytest.fixture
def make_task(texts):
    """A small task with some settings changed."""

    def make(**settings):
        small = {"dim": 24, "epochs": 3, "minibatch": 100}
        if "network" not in settings:
            small["order"] = 4
        train, dev, classes = texts
        return Task.read(
            NeuralConfig.from_dict(small | settings), TrainingData([train], dev, classes)
        )

    return make
