"""The compiled recurrent networks in double precision: beside torch, and by differences."""

import numpy as np
import pytest
import torch
from compiled_layers import PLAIN, compiled_layers

from nlmt.neural import _kernel
from nlmt.neural.outputs.classes import WordClasses
from nlmt.neural.outputs.full import Flat
from nlmt.neural.outputs.short_list import ShortList
from nlmt.neural.outputs.tree import WordTree
from nlmt.neural.parameters import shapes
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.torch_backend.noise import Noise, NoiseModel
from nlmt.neural.torch_backend.sentence_network import SentenceNetwork
from nlmt.ngram.backoff import BackoffModel

WORDS, DIM, SIDE = 23, 11, 6
RANDOM = np.random.default_rng(5)
CLASSES = np.unique(RANDOM.integers(0, 6, WORDS), return_inverse=True)[1].astype(np.int32)
COUNTS = RANDOM.integers(1, 50, WORDS).astype(np.float64)
LAYOUTS = {
    "class-factored": WordClasses(CLASSES),
    "full": Flat(WORDS),
    "tree-factored": WordTree.huffman(COUNTS),
}
# Sentences of 40 lengths, so that several blocks of them end in each column.
LENGTHS = RANDOM.integers(0, 9, 40)
ROWS = np.full((40, 10), -1, dtype=np.int32)
for _row, _length in zip(ROWS, LENGTHS, strict=True):
    _row[: _length + 2] = [1, *RANDOM.integers(3, WORDS, _length), 2]
EXAMPLES = int((ROWS[:, 1:] >= 0).sum())
# All words but some, which are read and never predicted.
LAYOUTS["short-list"] = ShortList(
    np.r_[2, RANDOM.permutation(np.arange(6, WORDS))].astype(np.int32), BackoffModel(WORDS, ()), ()
)
VECTORS = RANDOM.normal(size=(9, SIDE))
VECTOR_OF = RANDOM.integers(0, 9, (40, 9)).astype(np.int32)
LSA = {"source": "lsa", "source_dim": SIDE}
KINDS = [
    {"network": "elman", "output": "class-factored", "direct_features": 60},
    {"network": "elman", "output": "class-factored", **LSA},
    {"network": "elman", "output": "full", "direct_features": 60, **LSA},
    {"network": "gru", "output": "tree-factored", "direct_features": 200, "direct_order": 4},
    {"network": "gru", "output": "class-factored", "layers": 2, **LSA},
    {"network": "lstm", "output": "class-factored", "direct_features": 60, **LSA},
    {"network": "lstm", "output": "full", "layers": 3},
    {"network": "gru", "output": "short-list", "direct_features": 60},
]
WITH_NOISE = [kind for kind in KINDS if kind["output"] != "tree-factored"]


def make(kind):
    """Architecture, random parameters, and the compiled layers with them."""
    architecture = Architecture(dim=DIM, **kind)
    layout = LAYOUTS[architecture.output]
    random = np.random.default_rng(7)
    values = {
        name: random.normal(scale=0.5, size=shape)
        for name, shape in shapes(architecture, layout).items()
    }
    return architecture, values


def layers(architecture, values):
    """The compiled layers, and the one that has each parameter."""
    layout = LAYOUTS[architecture.output]
    network, output, direct = compiled_layers(architecture, layout, values)
    parts = {}
    for name in values:
        below = name in ("embeddings", "source_weight") or name.startswith("layers.")
        parts[name] = direct if name == "direct" else network if below else output
    return network, output, direct, parts


def make_trainer(network, output, direct, **settings):
    chosen = PLAIN | {"objective": "likelihood", "noise": 5, "counts": COUNTS}
    chosen |= {"unroll": 4, "threads": 1} | settings
    return _kernel.RecurrentTrainer64(network, output, direct, **chosen)


def step(architecture, values, rate, *, vectors=VECTORS, **settings):
    """The loss, and the parameters after a step."""
    *compiled, parts = layers(architecture, values)
    trainer = make_trainer(*compiled, **settings)
    loss = trainer.train(ROWS, vectors[:, : architecture.source_vector_dim], VECTOR_OF, 17, 3, rate)
    return loss, {name: part.get(name).reshape(values[name].shape) for name, part in parts.items()}


def in_torch(architecture, values):
    """The network in torch, the words, and the vectors beside them."""
    network = SentenceNetwork(architecture, LAYOUTS[architecture.output]).double()
    network.load_parameters(values)
    words = torch.from_numpy(ROWS).long()
    beside = torch.from_numpy(VECTORS[:, : architecture.source_vector_dim])[
        torch.from_numpy(VECTOR_OF).long()
    ]
    return network, words, beside


def torch_gradients(architecture, values, unroll, alpha):
    """Loss and gradients of the same in torch, piece by piece."""
    network, words, beside = in_torch(architecture, values)
    memories, total = network.empty(len(ROWS)), 0.0
    features = network.features(words[:, :-1].clamp(min=0))
    rows = torch.arange(words[:, 1:].numel()).view(len(words), -1)
    listed = torch.ones(WORDS, dtype=torch.bool)
    if architecture.output == "short-list":
        listed = torch.from_numpy(LAYOUTS["short-list"].place >= 0)
    for begin in range(0, ROWS.shape[1] - 1, unroll):
        piece = slice(begin, min(begin + unroll, ROWS.shape[1] - 1))
        inputs, targets = words[:, :-1].clamp(min=0)[:, piece], words[:, 1:][:, piece]
        seen, memories = network.read(memories, inputs, beside[:, piece])
        known = (targets >= 0) & listed[targets]
        if not known.any():
            break
        own = features and features.select(rows[:, piece][known])
        loss = network.output.likelihood_loss(seen[known], targets[known], alpha, own)
        loss.backward()
        total += float(loss.detach())
        memories = tuple(tuple(part.detach() for part in memory) for memory in memories)
    return total, {name: p.grad.numpy() for name, p in network.named().items()}


@pytest.mark.parametrize("unroll", [1, 4, 100])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_gradients_equal_torch(kind, unroll):
    architecture, values = make(kind)
    alpha = 0.0 if architecture.output == "tree-factored" else 0.2
    wanted_loss, wanted = torch_gradients(architecture, values, unroll, alpha)
    rate = 1e-3
    loss, after = step(architecture, values, rate, unroll=unroll, alpha=alpha)
    assert loss == pytest.approx(wanted_loss, rel=1e-9)
    for name, gradient in wanted.items():
        found = (values[name] - after[name]) / rate * EXAMPLES
        assert found == pytest.approx(gradient, rel=1e-5, abs=1e-7), name


@pytest.mark.parametrize("kind", WITH_NOISE, ids=str)
def test_nce_and_dropout_equal_differences(kind):
    """With a key the noise and the units left out are fixed: the loss has derivatives."""
    architecture, values = make(kind)
    settings = {"objective": "nce", "dropout": 0.3, "unroll": 100}
    _, after = step(architecture, values, 1.0, **settings)
    random = np.random.default_rng(1)
    for name, array in values.items():
        for flat in random.integers(0, array.size, 4):
            place = np.unravel_index(flat, array.shape)
            losses = []
            for change in (1e-4, -1e-4):
                moved = {**values, name: array.copy()}
                moved[name][place] += change
                losses.append(step(architecture, moved, 0.0, **settings)[0])
            gradient = (losses[0] - losses[1]) / 2e-4
            found = (array[place] - after[name][place]) * EXAMPLES
            assert found == pytest.approx(gradient, rel=1e-4, abs=1e-5), name


@pytest.mark.parametrize("kind", WITH_NOISE[:-1], ids=str)
def test_nce_gradients_equal_torch_with_the_same_noise(kind):
    architecture, values = make(kind)
    settings = {"objective": "nce", "unroll": 100}
    loss, after = step(architecture, values, 1.0, **settings)
    # Examples are numbered column by column, those of a column by falling length.
    order = np.argsort(-(ROWS >= 0).sum(1), kind="stable")
    column, place = np.nonzero(ROWS[order, 1:].T >= 0)
    sentence = order[place]
    targets = ROWS[sentence, column + 1]
    # What draws is the same below every network.
    below = _kernel.Input64(WORDS, 1, architecture.hidden_dim, 0, "diagonal", "relu", [])
    output = layers(architecture, values)[1]
    drawing = _kernel.Trainer64(below, output, "nce", noise=5, counts=COUNTS, threads=1, **PLAIN)
    drawn = drawing.noise(targets, 17, 3)
    network, words, beside = in_torch(architecture, values)
    inputs = words[:, :-1].clamp(min=0)
    seen, _ = network.read(network.empty(len(ROWS)), inputs, beside)
    features = network.features(inputs)
    rows = torch.from_numpy(sentence * inputs.shape[1] + column)
    wanted = network.output.noise_loss(
        seen[sentence, column],
        torch.from_numpy(targets).long(),
        Noise(*(torch.from_numpy(one).long() for one in drawn)),
        NoiseModel.from_counts(COUNTS, CLASSES if kind["output"] != "full" else np.arange(WORDS)),
        features and features.select(rows),
    )
    wanted.backward()
    assert loss == pytest.approx(wanted.item(), rel=1e-9)
    for name, parameter in network.named().items():
        found = (values[name] - after[name]) * EXAMPLES
        assert found == pytest.approx(parameter.grad.numpy(), rel=1e-7, abs=1e-9), name


@pytest.mark.threads
@pytest.mark.parametrize("optimiser", ["sgd", "adagrad", "adam"])
@pytest.mark.parametrize("kind", [KINDS[2], KINDS[4], KINDS[5]], ids=str)
def test_threads_and_vectors_of_no_word_make_no_difference(optimiser, kind):
    architecture, values = make(kind)
    settings = {"optimiser": optimiser, "dropout": 0.3, "decay": 1e-4, "alpha": 0.1}
    loss, after = step(architecture, values, 0.1, threads=1, **settings)
    more = np.vstack([VECTORS, VECTORS])  # some of which no word has
    for other in ({"threads": 2}, {"threads": 3}, {"vectors": more}):
        same, also = step(architecture, values, 0.1, **other, **settings)
        assert same == loss
        for name, array in after.items():
            assert (also[name] == array).all(), name


@pytest.mark.threads
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_reading_equals_torch_and_is_the_same_in_company(kind):
    architecture, values = make(kind)
    network, *_ = layers(architecture, values)
    torch_network, *_ = in_torch(architecture, values)
    random = np.random.default_rng(2)
    words = random.integers(0, WORDS, (60, 3)).astype(np.int32)
    vectors = random.normal(size=(20, architecture.source_vector_dim))
    vector_of = random.integers(0, len(vectors), (60, 3)).astype(np.int32)
    wanted, _ = torch_network.read(
        torch_network.empty(60),
        torch.from_numpy(words).long(),
        torch.from_numpy(vectors[vector_of]),
    )
    found = []
    for threads, rows in ((1, slice(None)), (2, slice(7, 9))):
        reader = _kernel.RecurrentReader64(network, threads)
        states = np.zeros((60, reader.state_size))[rows]
        for column in range(3):
            of_column = np.ascontiguousarray(words[rows, column])
            beside = np.ascontiguousarray(vector_of[rows, column])
            states = reader.read(states, of_column, vectors, beside)
        found.append(states)
    seen = wanted[:, -1, :DIM].detach().numpy()
    assert found[0][:, -DIM:] == pytest.approx(seen, abs=1e-12)
    assert (found[0][7:9] == found[1]).all()
    nothing = np.zeros(0, np.int32)
    assert reader.read(states[:0], nothing, vectors, nothing).shape == (0, reader.state_size)


def test_cells_that_are_saturated_are_zero():
    """Also in single precision, in which e^-100 would make all products denormal, and slow."""
    architecture, values = make({"network": "elman", "output": "full"})
    values["layers.0.bias"][:] = -100
    network, *_ = layers(architecture, values)
    reader = _kernel.RecurrentReader64(network, 1)
    word, vector_of = np.array([3], np.int32), np.array([0], np.int32)
    assert (reader.read(np.zeros((1, DIM)), word, np.zeros((1, 0)), vector_of) == 0).all()


def test_what_is_refused():
    architecture, values = make(KINDS[1])
    network, output, direct, _ = layers(architecture, values)
    trainer = make_trainer(network, output, direct)
    with pytest.raises(ValueError, match="does not fit"):
        _kernel.Recurrent64("elman", WORDS, DIM, 0, 2)
    with pytest.raises(ValueError, match="unknown cell"):
        _kernel.Recurrent64("gated", WORDS, DIM, 0, 1)
    for words, of in (
        (np.array([[1, WORDS]], np.int32), VECTOR_OF[:1, :1]),
        (np.array([[1, -1]], np.int32), VECTOR_OF[:1, :1]),
        (np.array([[1, 2]], np.int32), VECTOR_OF[:1]),
        (np.array([[1, 2]], np.int32), np.array([[9]], np.int32)),
    ):
        with pytest.raises(ValueError, match=r"out of range|does not fit|holds"):
            trainer.train(words, VECTORS, of, 0, 0, 0.1)
    reader = _kernel.RecurrentReader64(network, 1)
    state, word = np.zeros((1, reader.state_size)), np.array([3], np.int32)
    for given, of in (
        (VECTORS, [len(VECTORS)]),
        (VECTORS, [-1]),
        (VECTORS, []),
        (VECTORS[:, :1], [0]),
    ):
        with pytest.raises(ValueError, match=r"out of range|does not fit"):
            reader.read(state, word, np.ascontiguousarray(given), np.array(of, np.int32))
