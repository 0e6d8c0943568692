"""The compiled kernel in double precision against torch."""

import numpy as np
import pytest
import torch
from compiled_layers import PLAIN, compiled_layers

from nlmt.neural import _kernel
from nlmt.neural.outputs.classes import WordClasses
from nlmt.neural.outputs.full import Flat
from nlmt.neural.outputs.short_list import ShortList
from nlmt.neural.outputs.tree import WordTree
from nlmt.neural.parameters import MEMORIES, TrainingState, shapes
from nlmt.neural.score.layers import as_rows
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.settings.training import Training
from nlmt.neural.torch_backend.noise import Noise, NoiseModel
from nlmt.neural.torch_backend.optimisers import RULES
from nlmt.neural.torch_backend.window_network import WindowNetwork
from nlmt.ngram.backoff import BackoffModel

pytestmark = pytest.mark.threads

WORDS, DIM, ORDER, EXAMPLES, NOISE = 40, 19, 4, 150, 7
RANDOM = np.random.default_rng(3)
CLASSES = WordClasses(
    np.unique(RANDOM.integers(0, 9, WORDS), return_inverse=True)[1].astype(np.int32)
)
COUNTS = RANDOM.integers(1, 50, WORDS).astype(np.float64)
LAYOUTS = {
    "class-factored": CLASSES,
    "full": Flat(WORDS),
    "tree-factored": WordTree.huffman(COUNTS),
    # All words but five, which have no row and are never predicted.
    "short-list": ShortList(
        RANDOM.permutation(np.arange(5, WORDS)).astype(np.int32), BackoffModel(WORDS, ()), ()
    ),
}
WINDOWS = RANDOM.integers(0, WORDS, (EXAMPLES, ORDER)).astype(np.int32)
WINDOWS[:, -1] = RANDOM.integers(5, WORDS, EXAMPLES)
# Vectors of the source, and which of them each example has beside it.
SIDE = {"source": "lsa", "source_dim": 7}
VECTORS = np.random.default_rng(4).normal(size=(9, 7))
VECTOR_OF = np.random.default_rng(4).integers(0, 9, EXAMPLES).astype(np.int32)
# A shorter history, and a source word beside it.
BILINGUAL = {"order": ORDER - 1, "source": "window", "source_window": 0}
INPUTS = [
    {"projection": "diagonal"},
    {"projection": "full", "activation": "tanh"},
    {"projection": "concatenation", "activation": "sigmoid"},
    {"projection": "diagonal", "hidden": (17, 33), "activation": "tanh"},
    {"projection": "full", "hidden": (20,), "activation": "sigmoid"},
    {"projection": "concatenation", "hidden": (21, 6), "activation": "relu"},
    {"projection": "diagonal", **SIDE},
    {"projection": "full", "hidden": (20,), "activation": "tanh", **SIDE},
    {"projection": "concatenation", **SIDE},
    {"projection": "concatenation", "hidden": (21, 6), "activation": "sigmoid", **SIDE},
    {"projection": "diagonal", "activation": "tanh", **BILINGUAL},
    {"projection": "full", "hidden": (20,), "activation": "tanh", **BILINGUAL},
    {"projection": "concatenation", **BILINGUAL},
]
# Embeddings that are longer than a block of products.
LONG = [
    {"projection": projection, "dim": 300, "hidden": (20,)}
    for projection in ("concatenation", "full")
]


def windows(architecture):
    """The examples; numbers of source words follow those of the target words."""
    source = WORDS * (architecture.source == "window")
    return WINDOWS + np.array([0, 0, source, 0], np.int32)


def beside(architecture):
    """The vectors beside the examples, of no numbers for a model without a source."""
    return np.ascontiguousarray(VECTORS[VECTOR_OF, : architecture.source_vector_dim])


def beside_tensor(architecture):
    return torch.from_numpy(beside(architecture)) if architecture.source_vector_dim else None


def is_output(name):
    return name.startswith(("class_", "word_", "node_", "output_"))


class Kernel:
    """Input and output layer of the kernel, their parameters under one roof."""

    def __init__(self, architecture, bits=64):
        self.architecture, self.layout = architecture, LAYOUTS[architecture.output]
        zeros = {
            name: np.zeros(shape, f"f{bits // 8}")
            for name, shape in shapes(architecture, self.layout, WORDS).items()
        }
        self.names = list(zeros)
        self.input, self.output, _ = compiled_layers(architecture, self.layout, zeros, bits)
        self.make_trainer = getattr(_kernel, f"Trainer{bits}")

    def get(self, name):
        return (self.output if is_output(name) else self.input).get(name)

    def set(self, name, values):
        (self.output if is_output(name) else self.input).set(name, values)

    def trainer(self, objective="likelihood", **settings):
        chosen = PLAIN | {"noise": NOISE, "counts": COUNTS, "threads": 2} | settings
        return self.make_trainer(self.input, self.output, objective, **chosen)


def pair(output="class-factored", **parts):
    """The same random model in the kernel and in torch."""
    torch.manual_seed(2)
    architecture = Architecture(**{"order": ORDER, "dim": DIM, "output": output, **parts})
    kernel = Kernel(architecture)
    reference = WindowNetwork(architecture, LAYOUTS[output], WORDS).double()
    with torch.no_grad():
        for name, parameter in reference.named().items():
            parameter.normal_(0, 0.35)
            kernel.set(name, rows(parameter))
    return kernel, reference


def rows(tensor):
    return as_rows(tensor.detach().numpy())


def step(learner, rate, windows=WINDOWS, first=0, key=5):
    return learner.train(windows, VECTORS, VECTOR_OF, first, key, rate)


@pytest.mark.parametrize("output", LAYOUTS)
@pytest.mark.parametrize("parts", [*INPUTS, *LONG], ids=str)
def test_scores(output, parts):
    kernel, reference = pair(output, **parts)
    own, rows = beside(kernel.architecture), windows(kernel.architecture)
    hidden = kernel.input.hidden(np.ascontiguousarray(rows[:, :-1]), own, 2)
    tensor = torch.from_numpy(rows).long()
    wanted = reference.hidden(tensor[:, :-1], beside=beside_tensor(kernel.architecture))
    np.testing.assert_allclose(hidden, wanted.detach().numpy(), rtol=1e-10, atol=1e-13)
    scores, log_z = reference.output.scores(wanted, tensor[:, -1])
    starts, words = np.arange(EXAMPLES + 1), np.ascontiguousarray(rows[:, -1])
    found = kernel.output.score(hidden, starts, words, False, 2)
    assert found == pytest.approx(scores.detach().numpy(), rel=1e-10)
    found = kernel.output.score(hidden, starts, words, True, 2)
    assert found == pytest.approx((scores - log_z.sum(1)).detach().numpy(), rel=1e-10)


OBJECTIVES = [
    (output, objective)
    for output in LAYOUTS
    for objective in ({"objective": "likelihood"}, {"objective": "likelihood", "alpha": 0.3})
    if output != "tree-factored" or "alpha" not in objective
] + [(output, {"objective": "nce"}) for output in ("class-factored", "full", "short-list")]


def reference_loss(kernel, reference, learner, settings, key, first, dropout=False):
    """What the kernel's step should have cost, with the noise and the mask that it drew."""
    mask = torch.from_numpy(learner.dropout(EXAMPLES, first, key)) if dropout else None
    tensor = torch.from_numpy(windows(kernel.architecture)).long()
    hidden = reference.hidden(tensor[:, :-1], mask, beside_tensor(kernel.architecture))
    if settings["objective"] == "likelihood":
        alpha = settings.get("alpha", 0.0)
        return reference.output.likelihood_loss(hidden, tensor[:, -1], alpha)
    drawn = learner.noise(np.ascontiguousarray(WINDOWS[:, -1]), first, key)
    choices = [torch.from_numpy(one).long() for one in drawn]
    noise = Noise(*choices)
    return reference.output.noise_loss(hidden, tensor[:, -1], noise, noise_of(kernel.layout))


def noise_of(layout):
    """The unigram of the units of an output layer."""
    counts = COUNTS[layout.listed] if isinstance(layout, ShortList) else COUNTS
    return NoiseModel.from_counts(counts, getattr(layout, "of", np.arange(len(counts))))


@pytest.mark.parametrize("parts", INPUTS, ids=str)
@pytest.mark.parametrize(("output", "settings"), OBJECTIVES, ids=str)
@pytest.mark.parametrize("dropout", [0.0, 0.25])
def test_gradients_and_loss(parts, output, settings, dropout):
    kernel, reference = pair(output, **parts)
    learner = kernel.trainer(**settings, dropout=dropout)
    before = {name: kernel.get(name) for name in kernel.names}
    # A descent of 1 along the mean gradient: what changes is the mean gradient.
    loss = step(learner, 1.0, windows(kernel.architecture), first=1000)
    wanted = reference_loss(kernel, reference, learner, settings, 5, 1000, dropout > 0)
    wanted.backward()
    assert loss == pytest.approx(wanted.item(), rel=1e-10)
    for name, parameter in reference.named().items():
        moved = (before[name] - kernel.get(name)) * EXAMPLES
        np.testing.assert_allclose(moved, rows(parameter.grad), atol=1e-10, err_msg=name)


@pytest.mark.parametrize("parts", INPUTS, ids=str)
def test_a_hidden_vector_does_not_depend_on_the_contexts_beside_it(parts):
    kernel, _ = pair(**parts)
    contexts = np.ascontiguousarray(windows(kernel.architecture)[:, :-1])
    own = beside(kernel.architecture)
    together = kernel.input.hidden(contexts, own, 2)
    for i in (0, 47, 48, EXAMPLES - 1):  # at the borders of a block
        alone = kernel.input.hidden(contexts[i : i + 1], own[i : i + 1], 1)
        np.testing.assert_array_equal(alone[0], together[i])


@pytest.mark.parametrize("optimiser", RULES)
@pytest.mark.parametrize("clip", [0.0, 0.01])
def test_optimisers(optimiser, clip):
    kernel, reference = pair(projection="full", hidden=(11,))
    training = Training(optimiser=optimiser)
    state = TrainingState.first({name: kernel.get(name) for name in kernel.names}, training)
    decay = 0.02
    learner = kernel.trainer(optimiser=optimiser, clip=clip or np.inf, decay=decay)
    memories = {}
    for memory in MEMORIES[optimiser]:
        memories[memory] = {n: torch.from_numpy(v) for n, v in getattr(state, memory).items()}
        for name, values in getattr(state, memory).items():
            learner.set(memory, name, values)
    for rate in (0.1, 0.03):
        step(learner, rate)
        with torch.no_grad():
            for name, parameter in reference.named().items():
                parameter.mul_(1.0 if name.endswith("bias") else 1 - rate * decay * EXAMPLES)
        reference.zero_grad()
        loss = reference_loss(kernel, reference, learner, {"objective": "likelihood"}, 5, 0)
        loss.backward()
        with torch.no_grad():
            for name, parameter in reference.named().items():
                gradient = parameter.grad * (1 if optimiser == "adagrad" else 1 / EXAMPLES)
                if clip:
                    gradient.clamp_(-clip, clip)
                memory = {k: values[name].view(parameter.shape) for k, values in memories.items()}
                RULES[optimiser](parameter, gradient, memory, rate)
    for name, parameter in reference.named().items():
        np.testing.assert_allclose(kernel.get(name), rows(parameter), atol=1e-9, err_msg=name)
        for memory, values in memories.items():
            np.testing.assert_allclose(learner.get(memory, name), values[name], atol=1e-9)


@pytest.mark.parametrize(
    ("optimiser", "step"),
    [("sgd", 0.5), ("adagrad", 0.5 / np.sqrt(0.25 + 0.25)), ("adam", 0.05 / np.sqrt(0.25))],
)
def test_steps_by_hand(optimiser, step):
    """Of the rules in torch, which the kernel is held against; Adam keeps nine tenths of a mean."""
    weight, gradient = torch.ones(1, 1), torch.full((1, 1), 0.5)
    memory = {"squares": torch.full((1, 1), 0.25), "moments": torch.zeros(1, 1)}
    RULES[optimiser](weight, gradient, memory, 0.1)
    assert weight.item() == pytest.approx(1 - 0.1 * step)


@pytest.mark.parametrize("parts", [INPUTS[i] for i in (0, 4, 5, 6)], ids=str)
@pytest.mark.parametrize(("output", "settings"), OBJECTIVES, ids=str)
@pytest.mark.parametrize("minibatch", [25, EXAMPLES])
def test_same_bits_for_any_number_of_threads(parts, output, settings, minibatch):
    results = []
    architecture = Architecture(order=ORDER, dim=DIM, output=output, **parts)
    vectors = VECTORS.astype(np.float32)
    for threads in (1, 2, 5):
        kernel = Kernel(architecture, 32)
        random = np.random.default_rng(1)
        for name in kernel.names:
            kernel.set(name, random.normal(size=kernel.get(name).shape).astype(np.float32))
        learner = kernel.trainer(optimiser="adagrad", dropout=0.3, threads=threads, **settings)
        for first in range(0, 2 * EXAMPLES, minibatch):
            part = slice(first % EXAMPLES, first % EXAMPLES + minibatch)
            rate = 0.1 - 1e-4 * first
            learner.train(WINDOWS[part], vectors, VECTOR_OF[part], first, 9, rate)
        results.append([kernel.get(name).tobytes() for name in kernel.names])
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize(("output", "settings"), OBJECTIVES, ids=str)
def test_one_thread_rehearses_the_tasks_of_five(output, settings):
    results = []
    for rehearsed in (False, True):
        kernel, _ = pair(output)
        learner = kernel.trainer(threads=5, **settings)
        if rehearsed:
            assert learner.rehearse() == (0, 0, 0)
        step(learner, 0.1)
        results.append([kernel.get(name).tobytes() for name in kernel.names])
    assert results[0] == results[1]
    rounds, tasks, dealt = learner.rehearse()
    assert rounds > 0
    assert 0 < tasks / 5 <= dealt * (1 + 1e-9) <= tasks * (1 + 1e-6)


def test_noise_follows_the_unigram():
    kernel, _ = pair()
    targets = np.repeat(np.int32(7), 4000)
    classes, words = kernel.trainer("nce").noise(targets, 0, 1)
    by_class = np.bincount(CLASSES.of, COUNTS)
    shares = np.bincount(classes.ravel(), minlength=CLASSES.count) / classes.size
    assert shares == pytest.approx(by_class / by_class.sum(), abs=0.01)
    inside = CLASSES.of == CLASSES.of[7]
    shares = np.bincount(words.ravel(), minlength=WORDS) / words.size
    assert shares == pytest.approx(np.where(inside, COUNTS, 0) / COUNTS[inside].sum(), abs=0.01)


def test_a_word_that_never_occurs_is_never_noise():
    counts = COUNTS.copy()
    counts[:20] = 0
    kernel, _ = pair("full")
    classes, _ = kernel.trainer("nce", counts=counts).noise(np.zeros(20_000, np.int32), 0, 1)
    assert classes.min() == 20


def test_the_loss_is_finite_where_noise_is_all_but_certain():
    """Eleven factors of 1e-30, the least of a noise word, would be 0."""
    kernel = Kernel(Architecture(order=ORDER, dim=DIM, output="full"), 32)
    kernel.set("output_bias", np.where(np.arange(WORDS) < 10, 0, 60).astype(np.float32)[None])
    learner = kernel.trainer("nce", noise=40)
    assert np.isfinite(learner.train(WINDOWS, VECTORS.astype(np.float32), VECTOR_OF, 0, 5, 0.1))


def test_single_precision_exponential():
    # One class of two words with scores 0 and x: p = 1 / (1 + exp(x)).
    output = _kernel.ClassOutput32(np.zeros(2, np.int32), 1, 1, False)
    output.set("word_weight", np.array([[0.0], [1.0]], np.float32))
    x = np.linspace(-80, 80, 4001, dtype=np.float32)[:, None]
    words = np.zeros(len(x), np.int32)
    found = output.score(x, np.arange(len(x) + 1), words, True, 1)
    np.testing.assert_allclose(found, -np.logaddexp(0, x[:, 0].astype(float)), rtol=3e-6, atol=3e-7)


def test_shapes_and_numbers_are_checked():
    kernel, _ = pair()
    with pytest.raises(ValueError, match="shape does not fit"):
        kernel.set("embeddings", np.zeros((WORDS, DIM + 1)))
    with pytest.raises(ValueError, match="word out of range"):
        kernel.input.hidden(np.full((1, ORDER - 1), WORDS, np.int32), np.zeros((1, 0)), 1)
    with pytest.raises(ValueError, match="word out of range"):
        step(kernel.trainer(), 0.1, np.full((1, ORDER), -1, np.int32))
    learner = pair(**SIDE)[0].trainer()
    for vectors, of in (
        (VECTORS[:8], VECTOR_OF),
        (VECTORS, VECTOR_OF[1:]),
        (VECTORS, -1 - VECTOR_OF),
        (np.ascontiguousarray(VECTORS[:, :6]), VECTOR_OF),
    ):
        with pytest.raises(ValueError, match=r"shape does not fit|vector out of range"):
            learner.train(WINDOWS, vectors, of, 0, 5, 0.1)
    with pytest.raises(ValueError, match="unknown part"):
        kernel.output.get("weights")
    with pytest.raises(ValueError, match="a tree is trained for likelihood"):
        pair("tree-factored")[0].trainer("nce")
    paths = np.array([0, 1, 2]), np.array([0, 1], np.int32), np.array([1, -1], np.int8)
    with pytest.raises(ValueError, match="node out of range"):
        _kernel.TreeOutput64(*paths, 1, 3)
