"""An output layer that a user adds without touching the project (docs/extending.md)."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from nlmt.cli import main
from nlmt.errors import InputError
from nlmt.kinds import load_language_model
from nlmt.lm.kinds import TrainingData
from nlmt.neural import NeuralConfig, NeuralLM, Task, TaskFiles, Trainer
from nlmt.neural.arrays import network_arrays
from nlmt.neural.config import NeuralSettings
from nlmt.neural.kind import NEURAL
from nlmt.neural.outputs.registry import OUTPUTS, OutputLayout
from nlmt.neural.torch_backend.window_network import WindowNetwork
from nlmt.settings import read_settings
from nlmt.vocabulary import Vocabulary

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "tests/examples/output_layer.py"
BINS = {"output": "frequency-bins", "objective": "likelihood"}
SMALL = {"dim": 12, "epochs": 2, "minibatch": 100}


@pytest.fixture(autouse=True, scope="module")
def plugin() -> Iterator[None]:
    """The example, registered while this module's tests run."""
    known = dict(OUTPUTS._parts)
    spec = importlib.util.spec_from_file_location("example_output_layer", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    yield
    OUTPUTS._parts = known


def settings(**values: Any) -> NeuralSettings:
    return read_settings(NeuralSettings, {"kind": "neural", **SMALL, **BINS, **values})


def test_the_document_shows_the_example() -> None:
    document = (ROOT / "docs/extending.md").read_text()
    assert f"```python\n{EXAMPLE.read_text()}```" in document


def test_biases_are_the_unigram_model() -> None:
    vocabulary = Vocabulary(("<unk>", "<s>", "</s>", *"abcdefgh"))
    counts = np.array([1.0, 0, 4, 3, 9, 2, 1, 8, 1, 2, 5])
    layout = OUTPUTS.get("frequency-bins").build(
        NeuralConfig().architecture, vocabulary, counts, None
    )
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
    network = WindowNetwork(model.architecture, model.layout)
    network.load_parameters(model.parameters)
    for context in contexts:
        every = np.repeat(context[None], len(words), axis=0)
        found = model.score_ngrams(every, words)
        assert np.exp(found).sum() == pytest.approx(1.0, abs=1e-5)
        with torch.no_grad():
            rows = torch.from_numpy(every).long()
            wanted = network.log_probabilities(rows, torch.from_numpy(words).long())
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
    train, dev, _ = texts
    config = NeuralConfig.from_dict(SMALL | BINS | parts)
    model = Trainer(Task.read(config, TaskFiles([train], dev))).run().model
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
        Trainer(Task.read(config, TaskFiles([texts[0]], texts[1]))).run()
