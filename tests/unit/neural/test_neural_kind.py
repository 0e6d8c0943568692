"""What the workflow asks a neural model about, and training from files."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import neural_cpu, neural_gpu, neural_threads
from nlmt.errors import InputError
from nlmt.io.json_files import read_json
from nlmt.io.locks import locked
from nlmt.io.moses_ini import Feature
from nlmt.kinds import load_language_model
from nlmt.lm import ModelPlan, measure
from nlmt.lm.kinds import SourceFiles, TrainingData
from nlmt.neural import NeuralLM, Task, encode_texts
from nlmt.neural.kind import NEURAL, _seconds
from nlmt.neural.settings.neural import NeuralSettings
from nlmt.neural.train.folder import JOB, Job, main
from nlmt.neural.train.ranks import ALONE
from nlmt.settings_check import read_settings
from tools import write_tables

GRU = {"network": "gru", "objective": "likelihood"}
AVERAGED_LSA = {"source": "averaged", "source_vectors": "lsa"}
DECAY = {"source": "transform", "transform_schedule": "decay"}
SMALL = {"order": 3, "dim": 8, "epochs": 1, "minibatch": 100}


def settings(**values: Any) -> NeuralSettings:
    return read_settings(NeuralSettings, {"kind": "neural", **values})


def plan(**values: Any) -> ModelPlan:
    return NEURAL.plan(settings(**values))


def test_files_and_source() -> None:
    plain = plan()
    assert plain.files[0] == "model.safetensors"
    assert "source-vocabulary.txt" not in plain.files
    assert plain.curve == "log.tsv"
    assert plain.source == "none"
    window, lsa = plan(source="window"), plan(source="lsa")
    assert "source-vocabulary.txt" in window.files
    assert (window.source, lsa.source) == ("alignment", "sentence")
    assert (plain.watches_test, plan(watch_test=True).watches_test) == (False, True)


def test_fewer_words_take_less_time() -> None:
    full = {"output": "full", "objective": "likelihood"}
    assert _seconds(settings(**full, max_words=3000)) < 0.1 * _seconds(settings(**full))


def test_small_minibatches_take_longer() -> None:
    """Shared weights are read and written for each; Schwenk's of one word took 18 times as long."""
    cslm = {"projection": "concatenation", "hidden": [200], "output": "short-list", "order": 4}
    cslm |= {"objective": "likelihood", "optimiser": "sgd", "short_list": 1024, "dim": 100}
    one, many = (_seconds(settings(**cslm, minibatch=size)) for size in (1, 128))
    assert 9 < one / many < 27


def test_a_megabyte_has_fewer_tuples_than_words() -> None:
    words, tuples = plan(output="short-list"), plan(output="short-list", units="tuples")
    assert words.resources.runtime_per_mb == 2 * tuples.resources.runtime_per_mb
    # Tuples are not encoded.
    assert words.resources.held_per_mb < tuples.resources.held_per_mb


@pytest.mark.parametrize("name", neural_gpu.MODELS)
def test_seconds_on_a_gpu_are_near_the_measured_ones(name: str) -> None:
    words, keys, _ = neural_gpu.MODELS[name]
    frame = write_tables.measured("neural_gpu")
    paces = frame[(frame["step"] == name) & (frame["unit"] == "tokens/s")]
    assert len(paces) == 3
    for precision, pace in paces[["setting", "figure"]].itertuples(index=False):
        gpu = {"device": "gpu", "precision": precision, "max_words": words}
        assert 2 / 3 < _seconds(settings(**keys, **gpu)) * float(pace) < 3 / 2, precision


@pytest.mark.parametrize("name", neural_threads.NAMES)
def test_seconds_on_a_thread_are_near_the_measured_ones(name: str) -> None:
    words, keys, _ = neural_gpu.MODELS[name]
    frame = write_tables.measured("neural_threads")
    (pace,) = frame.loc[(frame["step"] == name) & (frame["setting"] == "1"), "figure"]
    assert 1 / 2 < _seconds(settings(**keys, max_words=words)) * float(pace) < 2


@pytest.mark.parametrize("dim", neural_cpu.DIMS)
@pytest.mark.parametrize("name", neural_cpu.BY_SIZE)
def test_seconds_of_each_size_are_near_the_measured_ones(name: str, dim: int) -> None:
    words, keys, _ = neural_gpu.MODELS[name]
    frame = write_tables.measured("neural_cpu")
    rows = (frame["step"] == f"{name}, D {dim}") & (frame["unit"] == "tokens/s")
    (pace,) = frame.loc[rows, "figure"]  # on two threads of one core
    model = settings(**{**keys, "dim": dim, "max_words": words})
    assert 1 / 3 < _seconds(model) * float(pace) / 2 < 2


def test_texts_and_classes() -> None:
    assert plan().min_count == 2
    assert plan(min_count=5).min_count == 5
    assert plan(output="short-list").min_count == 1
    assert plan(start_from="other").min_count is None
    assert plan(output="full", max_words=100).min_count is None
    assert plan().classes == "brown"
    exchange = plan(classes="exchange", class_count=30)
    assert (exchange.classes, exchange.class_count) == ("exchange", 30)
    assert plan(output="full").classes is None
    tree = {"output": "tree-factored", "objective": "likelihood"}
    assert plan(**tree).classes is None
    assert plan(**tree, tree="brown").classes == "brown"
    assert plan(start_from="other").classes is None


@pytest.mark.parametrize("values", [{}, {"min_count": 1}, {"output": "full"}])
def test_training_reads_texts_as_the_plan_encodes_them(
    tmp_path: Path, values: dict[str, Any]
) -> None:
    (tmp_path / "text").write_text("a b c a\nb a rare\n" * 3 + "a once\n")
    shown = {"output": "short-list", "source": "lsa", "source_dim": 2, "order": 3, **values}
    model = plan(objective="likelihood", **shown)
    texts = []
    for side, least in (("target", model.min_count), ("source", model.source_min_count)):
        texts.append(tmp_path / side)
        encode_texts([tmp_path / "text"], texts[-1:], min_count=least)
    target, source = texts
    dev, sources = tmp_path / "text", [SourceFiles(source)]
    data = TrainingData([target], dev, sources=sources, dev_source=SourceFiles(dev))
    task = Task.read(settings(objective="likelihood", **shown), data)
    rare_words = ("once" in task.vocabulary.words, "once" in task.source_vocabulary.words)
    assert rare_words == (shown["output"] == "short-list", "min_count" in values)


def test_other_models() -> None:
    assert (plan().start, plan().source_embeddings) == (None, None)
    assert plan(start_from="a").start == "a"
    assert plan(source="averaged", source_embeddings="b").source_embeddings == "b"


def test_resources() -> None:
    usual = plan().resources
    assert (usual.mem_mb, usual.threads, usual.gpus) == (1000, 8, 0)
    # AdaGrad: parameters, their best, sums of squares, and a checkpoint of a table of 4 GB.
    elman = {"network": "elman", "objective": "likelihood"}
    large = plan(**elman, direct_features=10**9, device="gpu", processes=4).resources
    assert (large.mem_mb, large.gpus) == (1000 + 4 * 4000, 4)


def test_costs_differ_by_network() -> None:
    networks = ("feed-forward", "elman", "lstm", "transformer")
    costs = [plan(network=network, objective="likelihood").cost for network in networks]
    assert costs == ["feed-forward", "recurrent", "recurrent", "transformer"]


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
    assert plan(**values).resources.threads == threads


def test_decoding() -> None:
    assert plan(order=7).remembers == 6
    assert plan(**GRU).remembers is None
    assert plan().decoder == Feature("NeuralLM", "NLM", {"path": ".", "scores": "normalised"})
    for values, says in [
        (GRU, "models of network: gru rescore"),
        ({"source": "window"}, "models of source: window rescore"),
    ]:
        assert plan(**values).decoder is None
        assert says in plan(**values).unfit


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"noise": 5, "objective": "likelihood"}, "noise has no effect with objective: likelihood"),
        ({"processes": 2, "engine": "kernel"}, "processes: 2 needs torch"),
        ({"source": "window", "units": "tuples"}, "source: tuples contain the source already"),
        ({"source": "window", "units": "source"}, "source: a model of the source language"),
        ({"source": "averaged"}, "source: averaged needs source_embeddings"),
        ({"source_embeddings": "other"}, "source_embeddings has no effect with source: none"),
        ({**AVERAGED_LSA, "source_embeddings": "other"}, "embeddings has no effect with .*: lsa"),
        ({"source": "averaged", "source_weights": "tf-idf"}, "source_weights has no effect"),
        ({"source": "averaged", "source_of": "reference"}, "source_of has no effect with source"),
        ({"source": "lsa", "source_side": "after"}, "source_side has no effect with source: lsa"),
        ({"output": "full", "classes": "brown"}, "classes has no effect with output: full"),
        ({"output": "full", "class_count": 9}, "class_count has no effect with output: full"),
        ({"start_from": "other", "classes": "brown"}, "classes has no effect with start_from"),
        ({"start_from": "other", "initial_range": 0.1}, "initial_range has no effect with start_"),
        (
            {"start_from": "other", "search": {"initial_range": [0.1, 0.2]}},
            "initial_range has no effect with start_from",
        ),
        ({**DECAY, "start_from": "other"}, "transform_schedule has no effect with start_from"),
        ({"classes": "brown-tree"}, "classes: brown-tree gives each word a class of its own"),
    ],
)
def test_settings_that_make_no_sense_together(values: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        plan(**values)


def test_settings_that_do() -> None:
    plan(source="averaged", start_from="other")
    plan(**AVERAGED_LSA, source_side="around")
    plan(resampling=[1, 0.25], texts=["near", "far"])


def test_parts_of_the_model_to_start_from() -> None:
    other = settings(order=3, dim=8, objective="likelihood")
    own = settings(start_from="other", epochs=3, order=3).completed({"other": other}.__getitem__)
    assert (own.order, own.dim, own.objective, own.epochs) == (3, 8, "nce", 3)
    NEURAL.plan(own)
    with pytest.raises(InputError, match=r"dim: 9, but other has 8 \(leave dim out"):
        settings(start_from="other", dim=9).completed({"other": other}.__getitem__)


@pytest.fixture(scope="module")
def data(texts: tuple[Path, ...]) -> TrainingData:
    train, dev, classes = texts
    return TrainingData([train], dev, classes)


@pytest.fixture(scope="module")
def trained(data: TrainingData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a trained model."""
    folder = tmp_path_factory.mktemp("lm") / "model"
    NEURAL.train(settings(**SMALL), data, folder, threads=1)
    return folder


def test_training_writes_the_files_and_no_others(trained: Path) -> None:
    expected = {*plan().files, plan().curve}
    assert {path.name for path in trained.iterdir()} == expected
    assert NEURAL.find(trained) == NEURAL.find(trained / "model.safetensors") == trained
    assert NEURAL.find(trained / "config.json") is None
    assert NEURAL.find(trained.parent) is None
    assert isinstance(load_language_model(trained), NeuralLM)


def test_another_run_trains_with_what_the_first_chose(
    trained: Path, data: TrainingData, tmp_path: Path
) -> None:
    keys = {**SMALL, "seed": 3, "search": {"learning_rate": [0.15, 0.01], "minibatch": [50, 100]}}
    chosen = replace(data, chosen=trained)  # with the default rate, and 100
    NEURAL.train(settings(**keys), chosen, tmp_path / "taken", threads=1)
    NEURAL.train(settings(**SMALL, seed=3), data, tmp_path / "set", threads=1)
    for name in ("model.safetensors", "config.json"):
        assert (tmp_path / "taken" / name).read_bytes() == (tmp_path / "set" / name).read_bytes()
    keys["search"] = {"learning_rate": [0.2, 0.1]}
    with pytest.raises(InputError, match=r"config.json: it has none of the values of search"):
        NEURAL.train(settings(**keys), chosen, tmp_path / "other", threads=1)


def test_a_run_in_which_the_choice_diverges_searches_for_itself(
    data: TrainingData, trained: Path, tmp_path: Path
) -> None:
    keys = {**SMALL, "seed": 3, "search": {"learning_rate": [100.0, 0.15]}}
    config = read_json(trained / "config.json")
    config["model"]["learning_rate"] = 100.0
    (tmp_path / "config.json").write_text(json.dumps(config))
    NEURAL.train(settings(**keys), replace(data, chosen=tmp_path), tmp_path / "run", threads=1)
    NEURAL.train(settings(**keys), data, tmp_path / "alone", threads=1)
    metrics = [read_json(tmp_path / name / "metrics.json") for name in ("run", "alone")]
    searched, alone = (one["searched"] for one in metrics)
    assert searched == alone
    assert [one["end"] for one in searched.values()] == ["diverged", "trained"]
    for name in ("model.safetensors", "config.json"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        path.name for path in (tmp_path / "alone").iterdir()
    }


def test_several_processes_train_together(
    data: TrainingData, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    large = {**SMALL, "minibatch": 500}
    together = settings(**large, processes=2)
    caplog.set_level("INFO")
    NEURAL.train(together, data, tmp_path / "a", threads=2)
    assert "dev perplexity" in caplog.text  # what the first process says
    NEURAL.train(settings(**large, engine="torch"), data, tmp_path / "b", threads=1)
    lines = data.dev.read_text().splitlines()
    found = [measure(NEURAL.load(tmp_path / name), lines).perplexity for name in "ab"]
    assert found[0] == pytest.approx(found[1], rel=1e-4)
    job = Job(together, replace(data, dev=data.texts[0] / "no"), tmp_path, 1)
    assert main(JOB.dump_json(job).decode()) == 1
    assert "error: " in caplog.text


def test_who_lost_a_lock_removes_no_checkpoints(
    data: TrainingData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(settings(**SMALL), data, tmp_path, 1)
    monkeypatch.setattr("nlmt.neural.train.folder.read_task", lambda *_: None)
    monkeypatch.setattr("nlmt.neural.train.folder.train_folder", lambda *_, **__: None)
    (tmp_path / "checkpoint").mkdir()
    with locked(tmp_path / "lock"):
        (tmp_path / "lock").unlink()
        with pytest.raises(InputError, match="another one took over its work"):
            job.run(ALONE)
    assert (tmp_path / "checkpoint").exists()
