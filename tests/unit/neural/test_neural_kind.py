"""What the workflow asks a neural model about, and training from files."""

from pathlib import Path
from typing import Any

import pytest

from nlmt.errors import InputError
from nlmt.lm.kinds import KINDS, TrainingData
from nlmt.lm.loading import load_language_model
from nlmt.neural import NeuralLM
from nlmt.neural.config import NeuralSettings
from nlmt.neural.kind import NEURAL
from nlmt.settings import read_settings

GRU = {"network": "gru", "objective": "likelihood"}
SMALL = {"order": 3, "dim": 8, "epochs": 1, "minibatch": 100}


def settings(**values: Any) -> NeuralSettings:
    return read_settings(NeuralSettings, {"kind": "neural", **values})


def test_it_is_registered() -> None:
    assert KINDS.get("neural") is NEURAL
    assert NEURAL.settings is NeuralSettings


def test_files_and_source() -> None:
    plain = settings()
    assert NEURAL.files(plain)[0] == "model.safetensors"
    assert "source-vocabulary.txt" not in NEURAL.files(plain)
    assert NEURAL.curve(plain) == "log.tsv"
    assert NEURAL.source(plain) == "none"
    window, lsa = settings(source="window"), settings(source="lsa")
    assert "source-vocabulary.txt" in NEURAL.files(window)
    assert (NEURAL.source(window), NEURAL.source(lsa)) == ("alignment", "sentence")


def test_the_test_text_is_watched_where_it_is_asked_for() -> None:
    assert not NEURAL.watches_test(settings())
    assert NEURAL.watches_test(settings(watch_test=True))


def test_fewer_words_take_less_time() -> None:
    full = {"output": "full", "objective": "likelihood"}
    every, some = settings(**full), settings(**full, max_words=3000)
    assert NEURAL.resources(some).runtime_per_mb < 0.1 * NEURAL.resources(every).runtime_per_mb


def test_samples_of_the_texts_take_less_time() -> None:
    every, some = settings(), settings(resampling=(0.1, 0.02))
    few, many = (NEURAL.resources(one).runtime_per_mb for one in (some, every))
    assert few == pytest.approx(0.1 * many)


def test_texts_and_classes() -> None:
    assert NEURAL.encoded(settings()) == 2
    assert NEURAL.encoded(settings(min_count=5)) == 5
    assert NEURAL.encoded(settings(output="short-list")) == 1
    assert NEURAL.encoded(settings(start_from="other")) is None
    assert NEURAL.encoded(settings(output="full", max_words=100)) is None
    assert NEURAL.classes(settings()) == "brown"
    assert NEURAL.classes(settings(classes="exchange", class_count=30)) == "exchange"
    assert NEURAL.classes(settings(output="full")) is None
    tree = {"output": "tree-factored", "objective": "likelihood"}
    assert NEURAL.classes(settings(**tree)) is None
    assert NEURAL.classes(settings(**tree, tree="brown")) == "brown"
    assert NEURAL.classes(settings(start_from="other")) is None


def test_other_models() -> None:
    assert NEURAL.other_models(settings()) == {}
    assert NEURAL.other_models(settings(start_from="a")) == {"start": "a"}
    joint = settings(source="averaged", source_embeddings="b")
    assert NEURAL.other_models(joint) == {"source_embeddings": "b"}


def test_resources() -> None:
    usual = NEURAL.resources(settings())
    assert (usual.mem_mb, usual.threads, usual.gpus) == (1000, 8, 0)
    # AdaGrad: parameters, their best, sums of squares, and a checkpoint of a table of 4 GB.
    large = NEURAL.resources(settings(**GRU, direct_features=10**9, device="gpu", processes=4))
    assert (large.mem_mb, large.gpus) == (1000 + 4 * 4000, 4)


@pytest.mark.parametrize(
    ("values", "threads"),
    [
        ({}, 8),
        ({**GRU, "dim": 200, "minibatch": 500}, 8),
        ({**GRU, "network": "elman", "dim": 100, "minibatch": 20}, 1),
        ({**GRU, "network": "elman", "dim": 400, "minibatch": 30}, 2),
        ({**GRU, "network": "transformer", "minibatch": 1000}, 1),
        ({**GRU, "network": "elman", "dim": 100, "minibatch": 20, "device": "gpu"}, 8),
    ],
)
def test_threads_that_make_training_faster(values: dict[str, Any], threads: int) -> None:
    assert NEURAL.resources(settings(**values)).threads == threads


def test_decoding() -> None:
    assert NEURAL.unfit_for_decoder(settings()) == ""
    assert NEURAL.remembers(settings(order=7)) == 6
    assert NEURAL.remembers(settings(**GRU)) is None
    feature = NEURAL.decoder_feature(settings(), "lm/nce")
    assert feature == {"feature": "NeuralLM", "path": "lm/nce", "scores": "normalised"}
    for values, says in [
        (GRU, "models of network: gru rescore"),
        ({"source": "window"}, "models that see the source rescore"),
    ]:
        assert says in NEURAL.unfit_for_decoder(settings(**values))


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"noise": 5, "objective": "likelihood"}, "noise has no effect with objective: likelihood"),
        ({**GRU, "network": "transformer", "dim": 100}, "not a multiple"),
        ({"processes": 2, "engine": "kernel"}, "processes: 2 needs torch"),
        ({"source": "window", "units": "tuples"}, "source: tuples contain the source already"),
        ({"source": "window", "units": "source"}, "source: a model of the source language"),
        ({"source": "averaged"}, "source: averaged needs source_embeddings"),
        ({"source_embeddings": "other"}, "source_embeddings has no effect with source: none"),
        (
            {"source": "averaged", "source_vectors": "lsa", "source_embeddings": "other"},
            "source_embeddings has no effect with source_vectors: lsa",
        ),
        ({"source": "averaged", "source_weights": "tf-idf"}, "source_weights has no effect"),
        ({"source": "averaged", "source_of": "reference"}, "source_of has no effect with source"),
        ({"source": "lsa", "source_side": "after"}, "source_side has no effect with source: lsa"),
        ({"output": "full", "classes": "brown"}, "classes has no effect with output: full"),
        ({"output": "full", "class_count": 9}, "class_count has no effect with output: full"),
        ({"start_from": "other", "classes": "brown"}, "classes has no effect with start_from"),
        ({"classes": "brown-tree"}, "classes: brown-tree gives each word a class of its own"),
    ],
)
def test_settings_that_make_no_sense_together(values: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        NEURAL.check(settings(**values))


def test_settings_that_do() -> None:
    NEURAL.check(settings())
    NEURAL.check(settings(source="averaged", source_embeddings="other"))
    NEURAL.check(settings(source="averaged", start_from="other"))
    NEURAL.check(settings(source="averaged", source_vectors="lsa", source_side="around"))
    NEURAL.check(settings(resampling=[1, 0.25], texts=["near", "far"]))


def test_parts_of_the_model_to_start_from() -> None:
    other = settings(order=3, dim=8, objective="likelihood")
    own = settings(start_from="other", epochs=3, order=3).starting_from(other)
    assert (own.order, own.dim, own.objective, own.epochs) == (3, 8, "nce", 3)
    NEURAL.check(own)
    with pytest.raises(InputError, match=r"dim: 9, but other has 8 \(leave dim out"):
        settings(start_from="other", dim=9).starting_from(other)


@pytest.fixture(scope="module")
def trained(texts: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a trained model."""
    folder = tmp_path_factory.mktemp("lm") / "model"
    train, dev, classes = texts
    NEURAL.train(settings(**SMALL), TrainingData([train], dev, classes), folder, threads=1)
    return folder


def test_training_writes_the_files_and_no_others(trained: Path) -> None:
    expected = {*NEURAL.files(settings()), NEURAL.curve(settings())}
    assert {path.name for path in trained.iterdir()} == expected
    assert NEURAL.find(trained) == NEURAL.find(trained / "model.safetensors") == trained
    assert NEURAL.find(trained / "config.json") is None
    assert NEURAL.find(trained.parent) is None
    assert isinstance(load_language_model(trained), NeuralLM)


def test_training_goes_on_from_a_model(
    trained: Path, texts: tuple[Path, ...], tmp_path: Path
) -> None:
    train, dev, _ = texts
    data = TrainingData([train, dev], dev, start=trained)
    own = settings(start_from="trained", epochs=2, resampling=[0.5, 1.0])
    NEURAL.train(own.starting_from(settings(**SMALL)), data, tmp_path, threads=1)
    before, after = NEURAL.load(trained), NEURAL.load(tmp_path)
    assert after.vocabulary == before.vocabulary
    lines = dev.read_text().splitlines()
    assert after.perplexity(lines).perplexity < before.perplexity(lines).perplexity


def test_several_processes_train_together(
    texts: tuple[Path, ...], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    train, dev, classes = texts
    together = settings(**SMALL, processes=2)
    caplog.set_level("INFO")
    NEURAL.train(together, TrainingData([train], dev, classes), tmp_path / "a", threads=2)
    assert "dev perplexity" in caplog.text  # what the first process says
    alone = settings(**SMALL, engine="torch")
    NEURAL.train(alone, TrainingData([train], dev, classes), tmp_path / "b", threads=1)
    lines = dev.read_text().splitlines()
    found = [NEURAL.load(tmp_path / name).perplexity(lines).perplexity for name in "ab"]
    assert found[0] == pytest.approx(found[1], rel=1e-4)
    with pytest.raises(InputError, match="process 1 of 2 failed"):
        NEURAL.train(together, TrainingData([train], train / "no", classes), tmp_path, threads=2)
    assert "error: " in caplog.text
