"""Training end to end on a toy text: bit-identical resumption, determinism, early stopping."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from interruption import interrupted

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.lm import measure
from nlmt.lm.kinds import TrainingData
from nlmt.neural import NeuralConfig, Task, Trainer, find_checkpoint
from nlmt.neural import train_folder as train
from nlmt.neural.parameters import TrainingState
from nlmt.neural.settings.training import Training
from nlmt.neural.text.numbered import NumberedText, Texts, encode
from nlmt.neural.train import task as tasks
from nlmt.neural.train.schedules import has_ended, rates
from nlmt.vocabulary import Vocabulary

LIKELIHOOD = {"objective": "likelihood"}
ADAM = {"optimiser": "adam", "learning_rate": 0.01}
SETTINGS = [
    {},
    {**LIKELIHOOD, "output": "full", "optimiser": "adam", "learning_rate": 0.01},
    {**LIKELIHOOD, "output": "tree-factored", "schedule": "halving", "halving_start": 0.25},
    {"output": "full", "noise": 50, "weight_decay": 0.1},
    {"objective": "self-normalised", "projection": "full", "hidden": [20], "activation": "tanh"},
    {"projection": "concatenation", "hidden": [10], "activation": "tanh", "clip": 1.0},
    {"engine": "torch", "output": "full", "schedule": "plateau"},
    {"output": "short-list", "short_list": 100},
    {**LIKELIHOOD, "network": "elman", "unroll": 5, "direct_features": 2000},
    {"network": "gru", **ADAM},
    {"objective": "self-normalised", "network": "lstm", "layers": 2, **ADAM},
    {**LIKELIHOOD, "network": "transformer", "output": "full", **ADAM},
    {"network": "gru", "output": "short-list", "short_list": 100, "order": 3, **ADAM},
]
FURTHER = [
    {"resampling": [0.6], **ADAM},
    {**LIKELIHOOD, "network": "lstm", "resampling": [0.8]},
    {"evaluations": 3, "patience": 6, "schedule": "plateau"},
    {**LIKELIHOOD, "network": "gru", "evaluations": 3, "patience": 6},
]


@pytest.mark.parametrize("settings", [*SETTINGS, *FURTHER], ids=str)
def test_interrupted_after_every_call(tmp_path, make_task, monkeypatch, settings):
    """With several buffers, stopped wherever a checkpoint can be written: the same bytes."""
    for name, value in (("CHUNK", 50), ("BUFFER", 1500)):
        monkeypatch.setattr(tasks, name, value)
        monkeypatch.setattr(tasks, f"SENTENCE_{name}", value // 10)
    task, again = (make_task(**settings, epochs=2) for _ in range(2))
    assert len(task.sampling.order(1, 0).sizes) > 2
    whole = train(task, tmp_path / "whole").progress
    assert not (tmp_path / "whole/checkpoint.safetensors").exists()
    checkpoint = tmp_path / "cut/checkpoint.safetensors"
    stops, timed = 0, {"seconds": 0, "tokens_per_second": 0, "objective": 0}
    while True:
        state = find_checkpoint(checkpoint, again)
        if state is not None and state.progress.epochs == 2:
            break
        interrupted(Trainer(again, checkpoint), state, 1, 600)
        stops += 1
    assert stops > 6
    cut = train(again, tmp_path / "cut", resume="always").progress
    for one, other in zip(whole.log, cut.log, strict=True):
        assert one.objective == pytest.approx(other.objective, rel=1e-5)
        assert replace(one, **timed) == replace(other, **timed)
    for name in ("model.safetensors", "config.json", "vocabulary.txt", "classes.tsv"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "cut" / name).read_bytes()


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_learns_and_keeps_the_best_pass(make_task, settings):
    result = Trainer(make_task(**{"learning_rate": 0.2} | settings, epochs=6, patience=1)).run()
    curve = [row.dev_perplexity for row in result.progress.log]
    assert result.dev.perplexity == pytest.approx(min(curve))
    assert result.progress.best_epoch == curve.index(min(curve)) + 1
    # A unigram model has more than 200 here.
    assert result.dev.perplexity < 160


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"output": "full"},
        {"output": "tree-factored", "tree": "brown"},
        {"output": "short-list", "short_list": 150},
        {"projection": "full", "hidden": [20]},
    ],
    ids=str,
)
def test_kernel_and_torch_learn_the_same_from_the_same_likelihood(make_task, parts):
    one, other = (
        Trainer(make_task(**LIKELIHOOD, **parts, engine=engine, dropout=0, epochs=1)).run().dev
        for engine in ("kernel", "torch")
    )
    assert one.perplexity == pytest.approx(other.perplexity, rel=1e-3)


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"objective": "self-normalised", "output": "full", "hidden": [20], **ADAM},
        {**LIKELIHOOD, "output": "tree-factored", "projection": "full"},
        {**LIKELIHOOD, "network": "lstm", **ADAM},
    ],
    ids=str,
)
def test_half_the_precision(make_task, parts):
    settings = {"engine": "torch", "epochs": 1} | parts
    single = Trainer(make_task(**settings)).run()
    first, again = (Trainer(make_task(**settings, precision="bfloat16")).run() for _ in range(2))
    assert first.dev.perplexity == pytest.approx(single.dev.perplexity, rel=0.02)
    one, other, exact = (result.model.parameters for result in (first, again, single))
    assert all(values.dtype == np.float32 for values in one.values())
    assert all((other[name] == values).all() for name, values in one.items())
    assert any((exact[name] != values).any() for name, values in one.items())


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_no_gpu(make_task):
    with pytest.raises(InputError, match=r"device: gpu, but torch .* finds none"):
        Trainer(make_task(device="gpu")).run()


@pytest.mark.parametrize("settings", [{}, {"engine": "torch"}, {"network": "gru", **LIKELIHOOD}])
def test_evaluations_inside_of_a_pass_do_not_disturb_it(make_task, settings):
    one, three = (
        Trainer(make_task(**settings, epochs=2, patience=6, evaluations=n)).run().progress.log
        for n in (1, 3)
    )
    assert [row.dev_perplexity for row in one] == [row.dev_perplexity for row in three[2::3]]
    assert [row.number for row in three[2::3]] == [1, 2]
    total = one[0].tokens
    longest = 250 if "network" in settings else 100  # of a minibatch
    for k, row in enumerate(three, 1):
        # The first end of a minibatch behind each third.
        assert 0 <= row.tokens - k * total / 3 < longest
        assert row.number == pytest.approx(row.tokens / total)
    sizes = np.diff([0, *(row.tokens for row in three)])
    whole = np.dot([row.objective for row in three], sizes)
    assert whole == pytest.approx(total * sum(row.objective for row in one))


def test_the_best_evaluation_is_kept_and_patience_counts_them(tmp_path, make_task):
    settings = {"learning_rate": 0.5, "epochs": 50, "evaluations": 4, "patience": 3}
    progress = train(make_task(**settings), tmp_path).progress
    curve = [row.dev_perplexity for row in progress.log]
    best = int(np.argmin(curve))
    assert len(curve) == best + 1 + 3
    assert progress.best_epoch == progress.log[best].number
    assert progress.best_perplexity == min(curve)
    assert 4 * progress.epochs <= len(curve) < 4 * progress.epochs + 4
    metrics = json.loads((tmp_path / "metrics.json").read_text())
    assert metrics["best_epoch"] == pytest.approx(progress.best_epoch, abs=1e-4)
    assert metrics["dev"]["perplexity"] == pytest.approx(min(curve), abs=1e-3)
    rows = [line.split("\t")[0] for line in (tmp_path / "log.tsv").read_text().splitlines()]
    assert (rows[0], len(rows)) == ("epoch", 1 + len(curve))
    assert [float(row) for row in rows[1:5]] == pytest.approx([0.25, 0.5, 0.75, 1], abs=0.02)


def test_a_model_that_has_learnt_nothing_is_said(tmp_path, make_task, caplog):
    """Steps are too small to learn: the output is the unigram model and small random weights."""
    (tmp_path / "train").write_text("a b a\na a c\n")
    (tmp_path / "dev").write_text("a b\n")
    config = NeuralConfig(dim=4, epochs=1, learning_rate=1e-9, output="full", min_count=1, order=2)
    task = Task.read(config, TrainingData([tmp_path / "train"], tmp_path / "dev"))
    # Of eight predictions four are of a, one each of b and c, two of </s>; <s> and <unk> count one.
    shares = np.array([4, 1, 2]) / task.counts.clip(1).sum()
    assert task.unigram_perplexity() == pytest.approx(np.exp(-np.log(shares).mean()))
    result = train(task, tmp_path / "model")
    assert result.dev.perplexity == pytest.approx(result.unigram, rel=0.3)
    metrics = json.loads((tmp_path / "model/metrics.json").read_text())
    assert metrics["dev_unigram_perplexity"] == pytest.approx(result.unigram, abs=1e-4)
    worse = result.dev.perplexity >= result.unigram
    assert ("no better than a unigram model's" in caplog.text) == worse


def test_stalls():
    """The first kind is one of entropy: ln 90 = 4.4998 and ln 89.4 = 4.4931, lower by 0.15 % only.

    89.4 is 0.67 % below 90.
    """
    first, plateau = (
        NeuralConfig.from_dict({"schedule": name, "learning_rate": 1})
        for name in ("first-stall", "plateau")
    )
    start = np.array([0])
    assert rates(first, 2, 100, start, [90.0, 89.4]).tolist() == [0.5]
    assert rates(plateau, 2, 100, start, [90.0, 89.4]).tolist() == [1]
    curve = [100.0, 90.0, 89.9, 80.0, 79.9]  # the third and the fifth are hardly lower
    assert has_ended(first, curve)
    assert not any(has_ended(*one) for one in ((first, curve[:4]), (first, []), (plateau, curve)))


def test_adam_counts_minibatches_of_sentences():
    """Which are a few words shorter or longer than `minibatch`: the second begins before 1000."""
    adam = {"optimiser": "adam", "schedule": "constant", "learning_rate": 1, "minibatch": 1000}
    found = rates(NeuralConfig.from_dict(adam), 0, 10_000, np.array([0, 985, 1990, 3010]), [])
    steps = np.arange(1, 5)
    assert found == pytest.approx(np.sqrt(1 - 0.999**steps) / (1 - 0.9**steps))


def test_schedules_with_evaluations_inside_of_a_pass():
    def of(schedule, complete, curve, **keys):
        config = NeuralConfig.from_dict({"schedule": schedule, "learning_rate": 0.8, **keys})
        return rates(config, complete, 1000, np.array([0, 499, 500, 999]), curve).tolist()

    curve = [100.0, 90.0, 89.9, 80.0]  # the third is hardly lower
    assert of("constant", 1, curve) == [0.8] * 4
    assert of("plateau", 1, curve) == [0.4] * 4
    assert of("first-stall", 1, curve[:2]) == [0.8] * 4
    assert of("first-stall", 1, curve) == [0.2] * 4  # halved after the third and the fourth
    # Section 3.2 of Luong et al. (2015): four epochs, from the third on halved every half epoch.
    paper = {"epochs": 4, "halving_start": 0.5}
    assert of("halving", 1, curve, **paper) == [0.8] * 4
    assert of("halving", 2, curve, **paper) == [0.4, 0.4, 0.2, 0.2]
    assert of("halving", 3, curve, **paper) == [0.1, 0.1, 0.05, 0.05]
    assert of("halving", 7, curve, epochs=8, halving_start=0.5) == [0.05] * 4
    assert of("halving", 0, curve, epochs=2, halving_start=0) == [0.4, 0.4, 0.2, 0.2]
    assert of("linear", 1, curve, epochs=4) == pytest.approx([0.6, 0.5002, 0.5, 0.4002])
    adam = {"optimiser": "adam", "minibatch": 100}
    assert of("constant", 3, curve, **adam) == of("constant", 3, [100.0] * 3, **adam)


@pytest.mark.parametrize(
    ("output", "train_text", "dev_text", "says"),
    [
        ("full", "", "a b\n", "train: 0 sentences with words, at least 2"),
        ("full", "a b c\n", "a b\n", "train: 1 sentences"),
        ("full", "a b c\nb c\n", "\n", "dev: 0 sentences"),
        ("full", "a b c\nb c\n", "d e\n", "dev: none of its words is in the vocabulary"),
        ("full", "a\nb\nc\n", "a\n", "none of its words is in the vocabulary .*lower min_count"),
        ("short-list", "", "a b\n", "train: no sentence with words"),
        ("class-factored", "a b\nb a\n", "a b\n", "needs word classes"),
    ],
)
def test_texts_that_do_not_suffice(tmp_path, output, train_text, dev_text, says):
    (tmp_path / "train").write_text(train_text)
    (tmp_path / "dev").write_text(dev_text)
    config = NeuralConfig.from_dict({"output": output})
    with pytest.raises(InputError, match=says):
        Task.read(config, TrainingData([tmp_path / "train"], tmp_path / "dev"))


def test_windows_by_hand():
    vocabulary = Vocabulary(("<unk>", "<s>", "</s>", "a", "b"))
    corpus = encode(["a b", "", "b"], vocabulary)
    assert corpus.target_counts(vocabulary).tolist() == [0, 0, 3, 1, 2]
    assert Texts([corpus]).windows(np.arange(corpus.events), 3).tolist() == [
        [1, 1, 3],
        [1, 3, 4],
        [3, 4, 2],
        [1, 1, 2],
        [1, 1, 4],
        [1, 4, 2],
    ]


@pytest.mark.parametrize("ids", [np.int32, np.uint16])
def test_texts_one_after_the_other(ids):
    random = np.random.default_rng(1)
    vocabulary = Vocabulary(("<unk>", "<s>", "</s>", *"abcdef"))
    lines = [" ".join(random.choice(list("abcdef"), n)) for n in random.integers(0, 7, 60)]
    parts = [encode(lines[i:j], vocabulary) for i, j in ((0, 25), (25, 26), (26, 60))]
    parts = [NumberedText(part.stream.astype(ids), part.begins) for part in parts]
    whole, texts = encode(lines, vocabulary), Texts(parts)
    assert (texts.events, texts.sentences) == (whole.events, whole.sentences)
    events = random.permutation(whole.events)
    for order in (2, 4, 9):
        rows = texts.windows(events, order)
        assert (rows == whole.windows(events, order)).all()
        for row, event in zip(rows.tolist(), events.tolist(), strict=True):
            sentence, position = (int(one[0]) for one in whole.locate(np.array([event])))
            begin = whole.begins[sentence]
            assert position == event - begin
            words = [1] * order + whole.stream[begin : event + 1].tolist()
            assert row == words[-order:]
    assert (texts.targets(events) == whole.stream[events]).all()
    for one, other in zip(texts.locate(events), whole.locate(events), strict=True):
        assert (one == other).all()
    sentences = random.permutation(whole.sentences)
    events, sizes = texts.sentence_events(sentences)
    rows = whole.pad(sentences)
    assert (events == rows[rows >= 0]).all()
    assert (sizes == (rows >= 0).sum(axis=1)).all()
    assert (texts.lengths(sentences) == np.diff(whole.begins)[sentences]).all()
    with pytest.raises(ValueError, match="no such event"):
        whole.windows(np.array([whole.events]), 2)


def test_texts_and_shares(tmp_path, texts):
    train, dev, classes = texts
    (tmp_path / "more").write_text("the zyx\nzyx the zyx\n")
    config = NeuralConfig.from_dict({"resampling": [1, 0.5], "dim": 8, "epochs": 2})
    task = Task.read(config, TrainingData([train, tmp_path / "more"], dev, classes))
    assert "zyx" in task.vocabulary.words
    assert task.texts.sentences == 402
    assert task.counts[task.vocabulary.words.index("zyx")] == 1.5
    result = Trainer(task).run()
    assert result.progress.log[1].tokens == 2 * sum(task.sampling.order(1, 0).sizes)
    with pytest.raises(InputError, match="resampling: 2 shares for 1 training texts"):
        Task.read(config, TrainingData([train], dev, classes))


def test_fine_tuning(tmp_path, make_task, texts):
    first = Trainer(make_task(epochs=2)).run().model
    dev = texts[1]
    (tmp_path / "domain").write_text("the chart is a chart .\n" * 40 + "an unheard thing\n")

    def task(domain, **settings):
        config = NeuralConfig.from_dict(first.config.parts() | settings)
        return Task.read(config, TrainingData([tmp_path / "domain"], domain), start=first)

    result = Trainer(task(tmp_path / "domain", epochs=3)).run()
    before = measure(first, read_lines(tmp_path / "domain")).perplexity
    assert result.dev.perplexity < 0.7 * before
    assert result.model.vocabulary == first.vocabulary
    # No epoch is better than the start: it is kept.
    result = Trainer(task(dev, epochs=2, patience=1, learning_rate=0.5)).run()
    assert result.progress.best_epoch == 0
    assert all((result.model.parameters[k] == v).all() for k, v in first.parameters.items())
    with pytest.raises(InputError, match=r"dim: 8, but the model to start from has 24"):
        task(dev, dim=8)
    for drawn in ({"initial_range": 0.1}, {"search": {"initial_range": [0.1, 0.2]}}):
        with pytest.raises(InputError, match="initial_range has no effect with a model to start"):
            task(dev, **drawn)


def test_where_the_sums_of_adagrad_start():
    """Weights to which every example of a minibatch adds start from a minibatch of squares."""
    parameters = {
        "embeddings": np.ones((7, 3), np.float32),
        "context": np.ones((2, 3, 3), np.float32),  # full matrices
        "hidden.0.weight": np.ones((4, 3), np.float32),
        "hidden.0.bias": np.ones(4, np.float32),
    }
    training = Training(minibatch=10, initial_square=0.5)
    squares = TrainingState.first(parameters, training).squares
    found = {name: float(values.max()) for name, values in squares.items()}
    wanted = {"embeddings": 0.5, "context": 5.0, "hidden.0.weight": 5.0, "hidden.0.bias": 0.0}
    assert found == wanted
    diagonal = {"context": np.ones((2, 3), np.float32)}
    assert TrainingState.first(diagonal, training).squares["context"].max() == 0.5
    assert TrainingState.first(parameters, Training(optimiser="sgd")).squares == {}


def has_avx512():
    cpuinfo = Path("/proc/cpuinfo")
    return cpuinfo.exists() and " avx512f " in cpuinfo.read_text()


@pytest.mark.skipif(not has_avx512(), reason="the processor has no AVX-512")
def test_wider_vectors_change_no_bit(texts):
    """Whether products take vectors of AVX-512 or of AVX2."""

    def hashes(**variables):
        command = [sys.executable, Path(__file__).with_name("train_everything.py"), *texts]
        environment = os.environ | variables
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment)

    wide, narrow = hashes(), hashes(NLMT_WITHOUT_AVX512="1")
    assert len(wide.stdout.splitlines()) == 8
    assert wide.stdout == narrow.stdout
