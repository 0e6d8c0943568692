"""What Luong et al. (2015) train with: few words, even first values, no short sentences; curves."""

import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.io.json_files import read_json
from nlmt.lm.kinds import SourceFiles, TrainingData
from nlmt.neural import (
    NeuralConfig,
    NeuralLM,
    Task,
    Trainer,
    encode,
    encode_texts,
    find_checkpoint,
    train_folder,
)
from nlmt.neural.train.folder import JOB, Job, main
from nlmt.neural.train.search import Tried, search, trainings
from nlmt.provenance import present_code
from nlmt.provenance.stretches import begin_report, end_report
from nlmt.vocabulary import SPECIAL

GOLDEN = Path(__file__).parents[2] / "golden"
LINES = ["a b c d", "a b", "a", "", "b c d", "a c a c a", "d"] * 6


@pytest.fixture
def text(tmp_path):
    (tmp_path / "train").write_text("".join(f"{line}\n" for line in LINES))
    return tmp_path / "train"


def read(text, files=None, **settings):
    config = {"output": "full", "dim": 8, "minibatch": 10, "dropout": 0, **settings}
    if "network" not in config:
        config["order"] = 3
    return Task.read(NeuralConfig.from_dict(config), files or TrainingData([text], text))


@pytest.mark.parametrize(
    "network", [{}, {"network": "elman", "objective": "likelihood"}], ids=["windows", "sentences"]
)
@pytest.mark.parametrize("shortest", [0, 2, 3])
def test_short_sentences_are_left_out(text, network, shortest):
    task = read(text, shortest=shortest, **network)
    kept = [line.split() for line in LINES if len(line.split()) >= shortest]
    words = [word for line in kept for word in [*line, "</s>"]]
    drawn = task.sampling.order(1, 0).buffer(0)
    assert len(drawn) == len(kept if network else words)
    sentences = drawn if network else task.texts.locate(drawn)[0]
    assert set(sentences.tolist()) == {i for i, line in enumerate(LINES) if line.split() in kept}
    assert task.counts.tolist() == [words.count(word) for word in task.vocabulary.words]
    assert task.dev.sentences == len(LINES)


def test_short_sentences_of_a_short_list(text):
    """Only what the short-list predicts, in sentences that are long enough."""
    backoff = text.parent / "text.arpa"
    grams = "".join(f"-1\t{word}\n" for word in ("<unk>", "<s>", "</s>", "a", "b", "c", "d"))
    backoff.write_text(f"\\data\\\nngram 1=7\n\n\\1-grams:\n{grams}\n\\end\\\n")
    files = TrainingData([text], text, backoff=backoff)
    keys = {"output": "short-list", "short_list": 2, "objective": "likelihood"}
    task = read(text, files, shortest=3, **keys)
    kept = [line for line in LINES if len(line.split()) >= 3]
    words = encode(kept, task.vocabulary).stream
    listed = np.count_nonzero(task.layout.predicted[words])
    assert 0 < sum(task.sampling.order(1, 0).sizes) == listed < len(words)


def test_no_sentence_is_long_enough(text):
    says = r"train: no sentence of at least 6 words \(lower shortest\)"
    with pytest.raises(InputError, match=says):
        read(text, shortest=6)


def test_first_values_are_evenly_distributed(text):
    task = read(text, initial_range=0.01, dim=50, hidden=[40], seed=3)
    start = Trainer(task)._beginning()
    parameters = start.state.parameters
    values = np.concatenate([array.ravel() for array in parameters.values()])
    assert np.abs(values).max() <= 0.01
    # Four standard errors of mean and variance of an even distribution.
    assert abs(values.mean()) < 4 * 0.01 / np.sqrt(3 * len(values))
    assert values.var() == pytest.approx(0.01**2 / 3, rel=4 * np.sqrt(0.8 / len(values)))
    assert parameters["output_bias"].std() > 0
    again = Trainer(task)._beginning().state.parameters
    assert all((again[name] == parameters[name]).all() for name in parameters)
    others = Trainer(read(text, dim=50, hidden=[40]))._beginning().state.parameters
    assert others["output_bias"].min() == -100  # <s> is never predicted


def test_the_most_frequent_words(text):
    task = read(text, max_words=2)
    assert task.vocabulary.words == (*SPECIAL, "a", "c")  # 36 and 24 times, b and d 18
    assert read(text, max_words=9).vocabulary.words == read(text).vocabulary.words


def test_words_of_encoded_texts_are_given(text):
    ids = text.parent / "train.ids"
    encode_texts([text], [ids])
    files = TrainingData([ids], text)
    says = r"max_words: 2, but the text was encoded with 4 \(give the text as sentences\)"
    with pytest.raises(InputError, match=says):
        read(text, files, max_words=2)
    assert len(read(text, files, max_words=4).vocabulary) == 7


@pytest.fixture(scope="module")
def bitext(tmp_path_factory):
    """Parts of the golden corpus with their source sides."""
    folder = tmp_path_factory.mktemp("bitext")
    names = {"e": "train.en", "f": "train.fr", "a": "aligned.grow-diag-final-and"}
    for side, path in names.items():
        lines = (GOLDEN / path).read_text(encoding="utf-8").splitlines(keepends=True)
        for name, begin, end in (("train", 0, 200), ("dev", 200, 230), ("test", 230, 270)):
            (folder / f"{name}.{side}").write_text("".join(lines[begin:end]), encoding="utf-8")
    return folder


# The model of the paper, but for its size.
PAPER = {
    "order": 5,
    "source": "window",
    "source_window": 5,
    "dim": 8,
    "projection": "concatenation",
    "hidden": [16],
    "output": "full",
    "max_words": 50,
    "objective": "self-normalised",
    "optimiser": "sgd",
    "learning_rate": 0.1,
    "initial_range": 0.01,
    "schedule": "halving",
    "halving_start": 0.5,
    "minibatch": 128,
    "shortest": 3,
    "dropout": 0,
    "epochs": 4,
    "evaluations": 2,
    "patience": 20,
}


def joint_files(folder):
    train, dev, test = (folder / f"{name}.e" for name in ("train", "dev", "test"))
    source, *others = (
        SourceFiles(text.with_suffix(".f"), text.with_suffix(".a")) for text in (train, dev, test)
    )
    return TrainingData(
        [train], dev, test=test, sources=[source], dev_source=others[0], test_source=others[1]
    )


def test_the_test_text_is_in_the_curve_and_decides_nothing(bitext, tmp_path):
    config = NeuralConfig.from_dict(PAPER)
    files = joint_files(bitext)
    task = Task.read(config, files)
    without = Task.read(config, replace(files, test=None, test_source=None))
    assert len(task.vocabulary) == 53
    assert len(task.source_vocabulary) == 53

    checkpoint = tmp_path / "checkpoint"

    def stop(log):
        if len(log) > 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Trainer(task, checkpoint, after_evaluation=stop).run()
    start = find_checkpoint(checkpoint, task)
    result, other = Trainer(task).run(start), Trainer(without).run()
    log = result.progress.log
    ignored = {"test_perplexity": None, "seconds": 0, "tokens_per_second": 0}
    curves = [[replace(row, **ignored) for row in rows] for rows in (log, other.progress.log)]
    assert curves[0] == curves[1]
    assert other.progress.log[0].test_perplexity is None
    for name, values in other.model.parameters.items():
        assert (result.model.parameters[name] == values).all()
    best = min(log, key=lambda row: row.dev_perplexity)
    again = result.model.text_perplexity(task.test).perplexity
    assert best.test_perplexity == pytest.approx(again)
    with pytest.raises(InputError, match="another test text"):
        find_checkpoint(checkpoint, without)


def test_a_job_writes_the_curve(bitext, tmp_path):
    """By way of the text that other processes read."""
    data = joint_files(bitext)
    config = NeuralConfig.from_dict({**PAPER, "epochs": 1})
    text = JOB.dump_json(Job(config, data, tmp_path / "model", 1))
    job = JOB.validate_json(text)
    assert job.config == config
    assert (job.data.texts, job.data.classes) == (data.texts, None)
    assert JOB.dump_json(job) == text
    (tmp_path / "model/checkpoint/search-2").mkdir(parents=True)  # of settings before these
    report = tmp_path / "report.json"
    begin_report(report)
    assert main(text.decode()) == 0
    assert end_report(report, {}) == [present_code()]
    assert not (tmp_path / "model/checkpoint").exists()
    heading, *rows = (tmp_path / "model/log.tsv").read_text().splitlines()
    assert heading.split("\t")[-2:] == ["learning_rate", "test_perplexity"]
    assert len(rows) == 2
    assert all(1 < float(row.split("\t")[-1]) < 200 for row in rows)


def test_one_of_several_processes_is_interrupted_without_a_traceback(bitext, tmp_path):
    config = NeuralConfig.from_dict({**PAPER, "epochs": 10_000, "patience": 10_000})
    text = JOB.dump_json(Job(config, joint_files(bitext), tmp_path / "model", 1)).decode()
    command = [sys.executable, "-m", "nlmt.neural.train", text]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    said = [process.stderr.readline()]
    while "dev perplexity" not in said[-1]:
        assert said[-1], "it has ended"
        said.append(process.stderr.readline())
    process.terminate()
    said.append(process.communicate()[1])
    assert not re.search("Traceback|Warning", "".join(said))
    assert process.returncode == 130
    assert (tmp_path / "model/checkpoint").exists()


def test_a_test_text_without_its_source(bitext):
    files = replace(joint_files(bitext), test_source=None)
    with pytest.raises(InputError, match="there is none for the test text"):
        Task.read(NeuralConfig.from_dict(PAPER), files)


SEARCH = {
    "search": {"learning_rate": [0.001, 0.1, 0.3], "epochs": [1, 3]},
    "optimiser": "sgd",
    "objective": "likelihood",
}


def trained(text, folder, **settings):
    train_folder(read(text, **settings), folder)
    return (folder / "model.safetensors").read_bytes(), read_json(folder / "metrics.json")


def test_a_search_keeps_what_training_with_the_best_alone_gives(text, tmp_path):
    model, metrics = trained(text, tmp_path / "all", **SEARCH)
    finalists = {n: one for n, one in metrics["searched"].items() if one["end"] == "trained"}
    best = min(finalists, key=lambda name: finalists[name]["perplexity"])
    loaded = NeuralLM.load(tmp_path / "all").config
    assert f"learning_rate {loaded.learning_rate}, epochs {loaded.epochs}" == best
    assert loaded.search == {}
    keys = {"learning_rate": loaded.learning_rate, "epochs": loaded.epochs, "search": {}}
    alone, single = trained(text, tmp_path / "alone", **{**SEARCH, **keys})
    assert alone == model
    assert "searched" not in single
    assert single["dev"] == metrics["dev"]
    assert finalists[best]["perplexity"] == pytest.approx(single["dev"]["perplexity"], abs=1e-4)
    one, other = ({path.name for path in (tmp_path / n).iterdir()} for n in ("all", "alone"))
    assert one == other


def test_a_search_goes_on_after_an_interruption(text, tmp_path, monkeypatch):
    """It ends in the same bytes, and trains nothing again."""
    keys = {"search": {"learning_rate": [0.01, 0.02, 0.1, 0.2, 0.3]}, "epochs": 8}
    whole, metrics = trained(text, tmp_path / "whole", **{**SEARCH, **keys})
    task, folder, evaluated = read(text, **{**SEARCH, **keys}), tmp_path / "parts", []
    original = Trainer._evaluate

    def evaluate(self, total):
        if len(evaluated) == 15:
            raise KeyboardInterrupt
        original(self, total)
        evaluated.append(total)

    monkeypatch.setattr(Trainer, "_evaluate", evaluate)
    with pytest.raises(KeyboardInterrupt):
        train_folder(task, folder)
    evaluated[:] = [-1]  # no interruption any more
    (folder / "search-1/.checkpoint.safetensors.0123abcd.work").mkdir()  # a killed process has one
    train_folder(task, folder, resume="if it fits")
    assert (folder / "model.safetensors").read_bytes() == whole
    again = read_json(folder / "metrics.json")
    assert again["searched"] == metrics["searched"]
    # An epoch of each, a second of the better three, and the other six or seven of two.
    assert len(evaluated) - 1 + 15 == 5 + 3 + 2 * 6 == round(8 * trainings(5, 8))


def test_a_search_compares_after_as_many_epochs(text, tmp_path):
    """Also where an epoch has fewer minibatches than `evaluations`."""
    keys = {"search": {"minibatch": [50, 100, 100_000]}, "epochs": 8, "evaluations": 4}
    _, metrics = trained(text, tmp_path / "model", **{**SEARCH, **keys})
    stopped = [one["epochs"] for one in metrics["searched"].values() if one["end"] == "stopped"]
    assert stopped == [1]


def test_a_combination_that_explodes_is_left_out(text, tmp_path):
    keys = {**SEARCH, "search": {"learning_rate": [0.001, 100]}, "dim": 50, "epochs": 6}
    _, metrics = trained(text, tmp_path / "model", **keys)
    exploded, other = (metrics["searched"][f"learning_rate {rate}"] for rate in (100, 0.001))
    assert (exploded["perplexity"], exploded["end"]) == (None, "diverged")
    assert other["perplexity"] == pytest.approx(metrics["dev"]["perplexity"], abs=1e-4)
    with pytest.raises(InputError, match="training exploded"):
        trained(text, tmp_path / "none", **{**keys, "search": {"learning_rate": [90, 100]}})


def test_the_better_half_goes_on():
    """Perplexities fall to a value of each: d overtakes too late, f diverges in its second turn."""
    ends, calls = {"a": 90, "b": 80, "c": 70, "d": 10, "e": 60, "f": 75, "g": 65}, []

    def train(name, share, before):
        assert (before is None) == (share == 1 / 8)
        calls.append((name, share))
        perplexity = ends[name] if name != "d" else 200 * (1 - share) + 10
        if name == "f" and share > 0.2:
            return Tried(math.inf, 8 * share, "diverged")
        return Tried(perplexity, 8 * share, "trained")

    tried = search("abcdefg", train)
    assert calls == [
        *((name, 1 / 8) for name in "abcdefg"),
        *((name, 1 / 4) for name in "cefg"),
        *((name, 1.0) for name in "eg"),
    ]
    assert list(tried) == list("abcdefg")
    assert {name: one.end for name, one in tried.items()} == {
        **dict.fromkeys("abcd", "stopped"),
        **{"e": "trained", "f": "diverged", "g": "trained"},
    }
    assert tried["c"].epochs == 2


@pytest.mark.parametrize(
    ("count", "work"),
    [(1, 1), (2, 2), (3, 3 / 8 + 2 * 7 / 8), (8, 1 + 4 / 8 + 2 * 6 / 8), (16, 2 + 1 + 1 + 2 / 2)],
)
def test_the_work_of_a_search(count, work):
    assert trainings(count, 8) == work


@pytest.mark.parametrize("count", [1, 2, 3, 9])
@pytest.mark.parametrize("evaluations", [1, 2, 3, 10])
def test_settings_stop_at_an_evaluation(count, evaluations):
    done = [share / evaluations for share in range(1, evaluations + 1)]

    def train(name, share, before):
        return Tried(name, next(one for one in done if one >= share), "trained")

    tried = search(range(count), train).values()
    assert trainings(count, evaluations) == pytest.approx(sum(one.epochs for one in tried))


def test_an_edited_search_goes_on_from_no_checkpoint_of_another_rate(text, tmp_path):
    keys = {**SEARCH, "epochs": 1, "search": {"learning_rate": [0.01, 0.1]}}
    _, metrics = trained(text, tmp_path / "new", **keys)
    place = tmp_path / "edited/search-1"
    place.mkdir(parents=True)
    before = read(text, **{**keys, "search": {}, "learning_rate": 0.3})
    Trainer(before, place / "checkpoint.safetensors").run()
    train_folder(read(text, **keys), tmp_path / "edited", resume="always")
    assert read_json(tmp_path / "edited/metrics.json")["searched"] == metrics["searched"]
