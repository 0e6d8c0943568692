"""Short-lists of networks over sentences: equations 7 and 8 with the last words as context."""

import numpy as np
import pytest

from nlmt.lm.kinds import SourceFiles, TrainingData
from nlmt.lm.protocol import SourcePositions
from nlmt.neural import NeuralConfig, NeuralLM, Task, Trainer
from nlmt.neural.outputs.short_list import ShortList
from nlmt.neural.parameters import TrainingState, initial
from nlmt.neural.source.vectors import SourceVectors
from nlmt.neural.torch_backend.transformer import TransformerReader
from nlmt.neural.train.epochs import Minibatch
from nlmt.neural.train.ranks import ALONE
from nlmt.neural.train.trainer import make_engine
from nlmt.ngram.backoff import BackoffModel
from nlmt.vocabulary import SPECIAL, Vocabulary

LINES = ["a b c a b", "b a d", "", "c c a b e a b", "a", "d a b c a f"] * 4
KINDS = [
    {"network": "elman", "direct_features": 300},
    {"network": "elman", "source": "lsa", "source_dim": 2},
    {"network": "gru", "objective": "nce", "noise": 3},
    {"network": "lstm", "layers": 2, "objective": "self-normalised"},
    {"network": "transformer", "heads": 2},
    {"network": "lstm", "engine": "torch"},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("short-list")
    (folder / "text").write_text("\n".join(LINES) + "\n")
    return folder


def train(folder, **settings):
    small = {"output": "short-list", "short_list": 3, "order": 3, "dim": 8, "epochs": 2}
    small |= {"objective": "likelihood", "dropout": 0.0, "minibatch": 20}
    config = NeuralConfig.from_dict(small | settings)
    side = {}
    if config.source != "none":
        files = SourceFiles(folder / "text")
        side = {"sources": [files], "dev_source": files}
    task = Task.read(config, TrainingData([folder / "text"], folder / "text", **side))
    return task, Trainer(task).run().model


def step(task, model, states, words):
    """One step of every path; the source is the first sentence of the text."""
    if not model.needs_source:
        return model.step(states, words)
    ids = model.lookup_source(LINES[0].split())
    zeros = np.zeros(len(words), dtype=np.int32)
    return model.step(states, words, SourcePositions(ids, np.array([0, len(ids)]), zeros, zeros))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_sums_to_one_and_is_what_the_equations_say(folder, kind):
    task, model = train(folder, **kind)
    layout, vocabulary = model.layout, model.vocabulary
    assert layout.backoff.order == 3
    states = model.start(1)
    history = [vocabulary.begin] * 2
    total = 0.0
    sentence = vocabulary.lookup(["a", "f", "b", "d", "a"])
    for word in [*sentence, vocabulary.end]:
        every = np.arange(len(vocabulary), dtype=np.int32)
        rows = np.zeros(len(every), dtype=np.int64)
        scores, _ = step(task, model, states.take(rows), every)
        assert np.exp(scores).sum() == pytest.approx(1.0, abs=2e-6)
        context = np.tile(np.array(history[-2:], dtype=np.int32), (len(every), 1))
        backoff = layout.backoff.log_probabilities(context, every)
        listed = layout.place >= 0
        np.testing.assert_allclose(scores[~listed], backoff[~listed], rtol=1e-6)
        share = np.exp(backoff[listed]).sum()
        assert np.exp(scores[listed]).sum() == pytest.approx(share, rel=1e-5)
        score, states = step(task, model, states, np.array([word], dtype=np.int32))
        total += float(score[0])
        history.append(int(word))
    if not model.needs_source:
        offsets = np.array([0, len(sentence)])
        assert model.score_sentences(sentence, offsets)[0] == pytest.approx(total, abs=1e-5)


def test_the_network_within_the_list(folder, tmp_path):
    """P(w | beginning) / P_S(h) is the softmax of a full output over the list's words."""
    _, model = train(folder, network="transformer", heads=2)
    model.save(tmp_path)
    loaded = NeuralLM.load(tmp_path)
    reader = TransformerReader(model.config, model.layout, model.parameters, 1)
    begin = np.array([1], dtype=np.int32)
    seen, _ = reader.read(reader.empty(1), begin, SourceVectors.nothing(1))
    logits = model.parameters["output_weight"] @ seen[0] + model.parameters["output_bias"]
    wanted = logits - np.log(np.exp(logits).sum())
    wanted += np.log(model.layout.backoff.find_mass(model.layout.mass, np.array([[1, 1]])))
    listed = model.layout.listed
    rows = np.zeros(len(listed), dtype=np.int64)
    for one in (model, loaded):
        found, _ = one.step(one.start(1).take(rows), listed)
        np.testing.assert_allclose(found, wanted, atol=1e-5)


@pytest.mark.parametrize(
    "parts", [{"network": "elman", "direct_features": 200}, {"network": "lstm"}]
)
def test_kernel_equals_torch(parts):
    """Words outside of the list are read, and say nothing of the output layer."""
    words, random = 20, np.random.default_rng(3)
    counts = np.r_[0.0, 0.0, random.integers(1, 9, words - 2)]
    layout = ShortList(np.array([2, 5, 9, 11, 4], np.int32), BackoffModel(words, ()), ())
    vocabulary = Vocabulary((*SPECIAL, *(f"w{i}" for i in range(words - 3))))
    events = random.integers(3, words, (5, 7)).astype(np.int32)
    events[:, -1] = 2
    unlisted = Minibatch.of_sentences(np.array([3, 3], dtype=np.int32), np.array([2]))
    batches = [Minibatch.of_sentences(events.ravel(), np.full(5, 7)), unlisted]
    found = []
    for engine in ("kernel", "torch"):
        settings = {"output": "short-list", "short_list": 5, "dim": 7, "objective": "likelihood"}
        settings |= {"optimiser": "sgd", "dropout": 0.0, "engine": engine, "unroll": 50}
        config = NeuralConfig.from_dict(settings | parts)
        start = initial(config, layout, counts, vocabulary)
        one = make_engine(config, layout, counts, TrainingState.first(start, config), 2, ALONE)
        losses = [one.train([batch], 0, 1, np.array([0.5])) for batch in (*batches, *batches)]
        assert losses[1] == losses[3] == 0
        found.append((losses, one.state().parameters))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-5)
    for name, values in found[0][1].items():
        np.testing.assert_allclose(values, found[1][1][name], atol=3e-6, err_msg=name)
