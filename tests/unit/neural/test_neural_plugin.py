"""Parts that a user adds without touching the project (docs/extending.md)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from plugins import example_plugins

from nlmt.cli import main
from nlmt.errors import InputError
from nlmt.kinds import load_language_model
from nlmt.lm.kinds import TrainingData
from nlmt.neural import NeuralConfig, NeuralLM, Task, Trainer
from nlmt.neural.arrays import network_arrays
from nlmt.neural.kind import NEURAL
from nlmt.neural.outputs.layout import OutputLayout
from nlmt.neural.parts import NETWORKS, OBJECTIVES, OUTPUTS
from nlmt.neural.settings.neural import NeuralSettings
from nlmt.neural.torch_backend.window_network import WindowNetwork
from nlmt.settings_check import read_settings
from nlmt.vocabulary import Vocabulary

BINS = {"output": "frequency-bins", "objective": "likelihood"}
KERNEL = {"engine": "kernel"}
SMALL = {"dim": 12, "epochs": 2, "minibatch": 100}


@pytest.fixture(autouse=True, scope="module")
def plugins() -> Iterator[None]:
    """The examples, registered while this module's tests run."""
    names = ["output_layer", "network", "objective"]
    with example_plugins(names, [OUTPUTS, NETWORKS, OBJECTIVES]):
        yield


def settings(**values: Any) -> NeuralSettings:
    return read_settings(NeuralSettings, {"kind": "neural", **SMALL, **BINS, **values})


def test_biases_are_the_unigram_model() -> None:
    vocabulary = Vocabulary(("<unk>", "<s>", "</s>", *"abcdefgh"))
    counts = np.array([1.0, 0, 4, 3, 9, 2, 1, 8, 1, 2, 5])
    layout = OUTPUTS.get("frequency-bins").build(NeuralConfig(), vocabulary, counts, None)
    assert (layout.words, layout.count) == (11, 3)
    layer = layout.torch_layer(5)
    with torch.no_grad():
        for name, values in layout.unigram_biases(counts).items():
            getattr(layer, name).copy_(torch.from_numpy(values))
        found = layer.log_probabilities(torch.randn(11, 5), torch.arange(11)).exp().numpy()
    assert found == pytest.approx(counts / counts.sum(), abs=1e-6)


@pytest.fixture(scope="module")
def trained(texts: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model that the command trained."""
    folder = tmp_path_factory.mktemp("bins")
    lines = [f"{key}: {value}\n" for key, value in (SMALL | BINS | {"order": 3}).items()]
    (folder / "model.yaml").write_text("".join(lines))
    train, dev, _ = texts
    arguments = ["lm", "train", "--config", folder / "model.yaml", "--train", train, "--dev", dev]
    assert main([*map(str, arguments), "--out", str(folder / "model")]) == 0
    return folder / "model"


def test_it_learns(trained: Path) -> None:
    curve = [float(line.split("\t")[5]) for line in (trained / "log.tsv").open().readlines()[1:]]
    assert len(curve) == 2
    assert curve[1] < curve[0] < 0.5 * 75  # of as many words


def test_it_is_normalised_and_what_torch_says(trained: Path) -> None:
    model = load_language_model(trained)
    assert isinstance(model, NeuralLM)
    words = np.arange(len(model.vocabulary), dtype=np.int32)
    contexts = np.random.default_rng(1).integers(0, len(words), (20, 2)).astype(np.int32)
    network = WindowNetwork(model.config, model.layout)
    network.load_parameters(model.parameters)
    every, each = np.repeat(contexts, len(words), axis=0), np.tile(words, 20)
    found = model.score_ngrams(every, each)
    assert np.exp(found).reshape(20, -1).sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    with torch.no_grad():
        rows, targets = (torch.from_numpy(one).long() for one in (every, each))
        wanted = network.output.log_probabilities(network.hidden(rows), targets)
    assert found == pytest.approx(wanted.numpy(), abs=1e-5)


def test_folders_of_another_vocabulary_are_refused(trained: Path, tmp_path: Path) -> None:
    NeuralLM.load(trained).save(tmp_path)
    (tmp_path / "classes.tsv").write_text("word, by falling frequency\na\n")
    with pytest.raises(InputError, match=r"classes.tsv: it does not hold the words"):
        NeuralLM.load(tmp_path)


@pytest.mark.parametrize(
    "parts",
    [
        {"network": "gru", "direct_features": 3000},
        {"network": "transformer", "heads": 2},
        {"order": 3, "objective": "self-normalised", "projection": "full", "hidden": [8]},
    ],
    ids=str,
)
def test_with_other_parts(parts: dict[str, Any], texts: tuple[Path, ...]) -> None:
    check_steps(train_model(BINS | parts, texts))


def train_model(values: dict[str, Any], texts: tuple[Path, ...]) -> NeuralLM:
    train, dev, classes = texts
    config = NeuralConfig.from_dict({**SMALL, "epochs": 1, "minibatch": 500, **values})
    files = TrainingData([train], dev, classes if config.needs_classes else None)
    return Trainer(Task.read(config, files)).run().model


def check_steps(model: NeuralLM) -> None:
    """Words add up to one after each beginning, and their scores to that of the sentence."""
    stepper, every = model.stepper(), np.arange(len(model.vocabulary), dtype=np.int32)
    state, total, words = stepper.start(1), 0.0, model.lookup(["the", "of", "<unk>"])
    none = np.zeros(1, dtype=np.int64)
    for word in [*words, stepper.end]:
        scores = stepper.score(state, np.zeros(len(every), dtype=np.int64), every)
        assert np.exp(scores).sum() == pytest.approx(1.0, abs=1e-5)
        total += scores[word]
        state = stepper.advance(state, none, np.array([word], dtype=np.int32))
    whole = model.score_sentences(words, np.array([0, 3]))
    assert whole[0] == pytest.approx(total, abs=1e-4)


def test_training_goes_on_from_it(trained: Path, texts: tuple[Path, ...], tmp_path: Path) -> None:
    own = settings(start_from="other").completed(lambda _: settings(order=3))
    assert NEURAL.plan(own).classes is None
    data = TrainingData([texts[0]], texts[1], start=trained)
    NEURAL.train(own, data, tmp_path, threads=1)
    layouts = [NeuralLM.load(folder).layout for folder in (trained, tmp_path)]
    assert isinstance(layouts[1], OutputLayout)
    assert np.array_equal(*(layout.rank for layout in layouts))  # type: ignore[attr-defined]


def test_what_it_cannot_do_is_refused(trained: Path, texts: tuple[Path, ...]) -> None:
    with pytest.raises(InputError, match="objective: nce is not for output: frequency-bins"):
        NEURAL.plan(settings(objective="nce"))
    with pytest.raises(InputError, match="tree has no effect with output: frequency-bins"):
        NEURAL.plan(settings(tree="brown"))
    assert "output: frequency-bins rescore" in NEURAL.plan(settings()).unfit
    with pytest.raises(InputError, match="does not take a model of output: frequency-bins"):
        network_arrays(NeuralLM.load(trained))
    config = NeuralConfig.from_dict(SMALL | BINS | {"engine": "kernel"})
    with pytest.raises(InputError, match="engine: kernel has no output: frequency-bins"):
        Trainer(Task.read(config, TrainingData([texts[0]], texts[1]))).run()


@pytest.mark.parametrize(
    "values",
    [
        {"network": "fading", "direct_features": 3000},
        {"network": "fading", "output": "full", "objective": "self-normalised", "unroll": 3},
        {"network": "fading", **BINS, "optimiser": "adam", "learning_rate": 0.01},
    ],
    ids=str,
)
def test_a_network(values: dict[str, Any], texts: tuple[Path, ...], tmp_path: Path) -> None:
    model = train_model(values, texts)
    check_steps(model)
    model.save(tmp_path)
    words, offsets = model.lookup(["the", "of", "the"]), np.array([0, 2, 3])
    wanted = model.score_sentences(words, offsets)
    assert NeuralLM.load(tmp_path).score_sentences(words, offsets) == pytest.approx(wanted)
    # By hand: r is a half of each unit at most a little changed; the state is that of the words.
    found = model.parameters
    state = found["embeddings"][1] * 0
    for word in (model.vocabulary.begin, *words[:2]):
        kept = 1 / (1 + np.exp(-found["layers.0.fading_bias"]))
        state = kept * state + found["embeddings"][word]
    hidden = np.tanh(found["layers.0.weight"] @ state + found["layers.0.bias"])
    stepped = model.start(1)
    for word in words[:2]:
        stepped = model.step(stepped, np.array([word], dtype=np.int32))[1]
    assert stepped.seen[0] == pytest.approx(hidden, abs=1e-5)


def test_a_network_learns_the_same_on_pieces(texts: tuple[Path, ...]) -> None:
    """Without dropout, pieces that are longer than all sentences change nothing."""
    values = {"network": "fading", "output": "full", "dropout": 0.0}
    one, other = (
        train_model({**values, "unroll": unroll}, texts).parameters for unroll in (500, 600)
    )
    assert all((one[name] == other[name]).all() for name in one)


def test_keys_of_a_network(texts: tuple[Path, ...]) -> None:
    plan = NEURAL.plan(settings(network="fading"))
    assert plan.resources.threads == 1
    assert "network: fading rescore" in plan.unfit
    with pytest.raises(InputError, match="layers has no effect with network: fading"):
        NEURAL.plan(settings(network="fading", layers=2))
    with pytest.raises(InputError, match="engine: kernel is not for network: fading"):
        NEURAL.plan(settings(network="fading", engine="kernel"))


@pytest.mark.parametrize("network", ["feed-forward", "gru"])
def test_an_objective(network: str, texts: tuple[Path, ...]) -> None:
    values = SMALL | {"network": network, "objective": "focal", "output": "full"}
    files = TrainingData([texts[0]], texts[1])
    task, compiled = (
        Task.read(NeuralConfig.from_dict(values | engine), files) for engine in ({}, KERNEL)
    )
    first, second = Trainer(task).run().progress.log
    assert second.dev_perplexity < first.dev_perplexity < 75
    assert second.objective < first.objective < np.log(75)
    with pytest.raises(InputError, match="engine: kernel has no objective: focal"):
        Trainer(compiled).run()
    with pytest.raises(InputError, match="alpha has no effect with objective: focal"):
        NEURAL.plan(settings(objective="focal", alpha=0.5))
