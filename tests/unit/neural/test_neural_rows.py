"""Steps of single rows: sums of their gradients, and weight decay, which goes round."""

import numpy as np
import pytest
import torch

from nlmt.neural import NeuralConfig
from nlmt.neural.outputs.classes import WordClasses
from nlmt.neural.outputs.short_list import ShortList
from nlmt.neural.parameters import TrainingState, initial
from nlmt.neural.torch_backend import rows as rows_module
from nlmt.neural.torch_backend.optimisers import TURNS, shrink
from nlmt.neural.torch_backend.rows import dense, sum_by_row, sum_in_chunks
from nlmt.neural.train.epochs import Minibatch
from nlmt.neural.train.ranks import ALONE
from nlmt.neural.train.trainer import make_engine
from nlmt.ngram.backoff import BackoffModel
from nlmt.vocabulary import SPECIAL, Vocabulary

WORDS = 60
RANDOM = np.random.default_rng(4)
COUNTS = np.r_[3.0, 0.0, RANDOM.integers(1, 30, WORDS - 2)]
LAYOUT = WordClasses((np.arange(WORDS) % 7).astype(np.int32))
VOCABULARY = Vocabulary((*SPECIAL, *(f"w{i}" for i in range(WORDS - len(SPECIAL)))))


@pytest.mark.parametrize("rows", [5, 300, 9000])
@pytest.mark.parametrize("shape", [(4,), ()], ids=["weights", "single numbers"])
def test_all_rows_shrink_as_much_as_in_every_step(rows, shape):
    """At the end of an epoch all of it; before, up to what is due between two turns of a row."""
    total, size, decay = 12_000, 10, 0.8
    table, dense = torch.ones(rows, *shape, dtype=torch.double), 0.0
    for first in range(0, total, size):
        share = decay * size / total
        shrink(table, share, first, size, total)
        dense += np.log1p(-share)
        ahead = (table.log() - dense).abs().max()
        assert ahead <= decay * max(rows / total, 1 / TURNS) * 1.01
    np.testing.assert_allclose(table.log().numpy(), dense, rtol=1e-9)


def test_a_step_shrinks_what_its_examples_ask_for():
    table = torch.ones(1000, 2)
    shrink(table, 0.5, 990, 20, 100_000.0)
    # A row has its turn after a thousand examples, which are 50 of such steps.
    changed = np.flatnonzero(table[:, 0] != 1)
    assert changed.tolist() == [*range(10), *range(990, 1000)]
    assert table[995].tolist() == [0.5**50] * 2
    shrink(table, 2.0, 0, 1000, 100_000.0)  # more than there is
    assert not table.any()


def minibatches(network, order):
    for _ in range(30):
        if network == "feed-forward":
            rows = RANDOM.integers(3, WORDS, (11, order)).astype(np.int32)
            yield Minibatch.of_ngrams(rows)
        else:
            events = RANDOM.integers(3, WORDS, (2, 6)).astype(np.int32)
            events[:, -1] = 2
            yield Minibatch.of_sentences(events.ravel(), np.array([6, 6]))


@pytest.mark.parametrize(
    "parts",
    [
        {"projection": "full", "hidden": [20], "order": 4},
        {"network": "elman", "direct_features": 500, "unroll": 50},
        {"projection": "full", "order": 2},  # whose one matrix is no single row
    ],
    ids=str,
)
def test_kernel_equals_torch(parts):
    batches = list(minibatches(parts.get("network", "feed-forward"), parts.get("order")))
    size = batches[0].examples
    found = []
    for engine in ("kernel", "torch"):
        settings = {"dim": 9, "objective": "likelihood", "optimiser": "sgd", "dropout": 0.0}
        more = {"weight_decay": 3.0, "minibatch": size, "engine": engine}
        config = NeuralConfig.from_dict(settings | more | parts)
        start = initial(config, LAYOUT, COUNTS, VOCABULARY)
        one = make_engine(config, LAYOUT, COUNTS, TrainingState.first(start, config), 1, ALONE)
        for step, batch in enumerate(batches):
            one.train([batch], step * size, 1, np.array([0.3]))
        found.append(one.state().parameters)
    for name, values in found[0].items():
        np.testing.assert_allclose(values, found[1][name], atol=3e-6, err_msg=name)


@pytest.mark.parametrize(
    ("keys", "share"),
    [
        ({"optimiser": "sgd"}, 0.03 / 12_000),
        # 2 x 0.03 times the weight in a step along the mean of 32 gradients.
        ({"optimiser": "sgd", "weight_decay_per": "word", "minibatch": 32}, 0.06 / 32),
        ({"optimiser": "adagrad", "weight_decay_per": "word", "minibatch": 32}, 0.06),
    ],
)
def test_penalty_of_an_epoch_or_a_word(keys, share):
    config = NeuralConfig.from_dict({"objective": "likelihood", "weight_decay": 0.03, **keys})
    assert config.decay_of_example(12_000) == pytest.approx(share)


@pytest.mark.parametrize("engine", ["kernel", "torch"])
def test_words_outside_a_short_list_are_no_examples_of_an_epoch(engine):
    layout = ShortList(np.arange(2, 22, dtype=np.int32), BackoffModel(WORDS, ()), ())
    settings = {"output": "short-list", "dim": 9, "order": 3, "objective": "likelihood"}
    settings |= {"optimiser": "sgd", "dropout": 0.0, "weight_decay": 3.0, "engine": engine}
    config = NeuralConfig.from_dict(settings)
    start = TrainingState.first(initial(config, layout, COUNTS, VOCABULARY), config)
    batch = Minibatch.of_ngrams(RANDOM.integers(2, 22, (11, 3)).astype(np.int32))
    found = []
    for counts in (COUNTS, np.where(layout.predicted, COUNTS, 0.0)):
        one = make_engine(config, layout, counts, start, 1, ALONE)
        one.train([batch], 0, 1, np.array([0.3]))
        found.append(one.parameters())
    for name, values in found[0].items():
        assert (values == found[1][name]).all(), name


@pytest.mark.parametrize("chunk", [1, 2, 7, 128])
@pytest.mark.parametrize(("n", "different"), [(0, 5), (1, 1), (40, 1), (300, 9), (300, 4000)])
@pytest.mark.parametrize("shape", [(), (3,)])
def test_sums_in_chunks_are_sums(
    monkeypatch: pytest.MonkeyPatch, chunk: int, n: int, different: int, shape: tuple[int, ...]
) -> None:
    monkeypatch.setattr(rows_module, "CHUNK", chunk)
    random = np.random.default_rng(n + different)
    rows = (different * random.random(n) ** 3).astype(np.int64)
    values = random.integers(-9, 9, size=(n, *shape)).astype(np.float32)  # whose sums are exact
    expected = np.zeros((different, *shape), dtype=np.float32)
    np.add.at(expected, rows, values)
    for sums in (sum_in_chunks, sum_by_row):
        found, summed = sums(torch.from_numpy(rows), torch.from_numpy(values))
        assert found.tolist() == sorted(set(rows.tolist()))
        assert summed.shape == (len(found), *shape)
        assert np.array_equal(dense(found, summed, different).numpy(), expected)


def test_numbers_of_a_vector_have_its_gradient() -> None:
    vector = torch.randn(20, dtype=torch.double, requires_grad=True)
    places = torch.tensor([[3, 3, 0], [19, 3, 5]])
    numbers = rows_module._Numbers.apply
    assert torch.equal(numbers(vector, places), vector[places])
    assert torch.autograd.gradcheck(lambda x: numbers(x, places) ** 2, vector)
