"""The compiled kernel in double precision against torch."""

import numpy as np
import pytest
import torch

from nlmt.neural import _kernel
from nlmt.neural.config import Architecture
from nlmt.neural.network import Network
from nlmt.neural.objectives import NoiseModel, likelihood_loss, nce_loss
from nlmt.neural.word_classes import WordClasses

WORDS, DIM, ORDER, EXAMPLES, NOISE = 40, 19, 4, 150, 7
RANDOM = np.random.default_rng(3)
CLASSES = WordClasses(
    np.unique(RANDOM.integers(0, 9, WORDS), return_inverse=True)[1].astype(np.int32)
)
COUNTS = RANDOM.integers(1, 50, WORDS).astype(np.float64)
WINDOWS = RANDOM.integers(0, WORDS, (EXAMPLES, ORDER)).astype(np.int32)
NAMES = ("embeddings", "context", "class_weight", "class_bias", "word_weight", "word_bias")


def pair(output="class-factored", activation="rectifier"):
    """The same random model in the kernel and in torch."""
    classes = CLASSES if output == "class-factored" else WordClasses.single(WORDS)
    kernel = _kernel.Network64(classes.of, classes.count, ORDER - 1, DIM, activation, True)
    torch.manual_seed(2)
    architecture = Architecture(order=ORDER, dim=DIM, output=output, activation=activation)
    reference = Network(architecture, CLASSES).double()
    with torch.no_grad():
        for name, parameter in reference.named().items():
            parameter.normal_(0, 0.6)
            kernel.set(name.replace("output_", "class_"), rows(parameter))
    return kernel, reference, classes


def rows(tensor):
    values = tensor.detach().numpy()
    return values[None, :] if values.ndim == 1 else values


def trainer(kernel, objective="likelihood", dropout=0.0, threads=2, optimiser="sgd"):
    return _kernel.Trainer64(kernel, objective, NOISE, COUNTS, optimiser, dropout, threads)


@pytest.mark.parametrize("output", ["class-factored", "full"])
@pytest.mark.parametrize("activation", ["rectifier", "tanh", "sigmoid"])
def test_scores(output, activation):
    kernel, reference, _ = pair(output, activation)
    hidden = kernel.hidden(np.ascontiguousarray(WINDOWS[:, :-1]), 2)
    starts = np.arange(EXAMPLES + 1)
    found = kernel.score(hidden, starts, np.ascontiguousarray(WINDOWS[:, -1]), 2)
    windows = torch.from_numpy(WINDOWS).long()
    wanted = reference.log_probabilities(windows[:, :-1], windows[:, -1])
    assert found == pytest.approx(wanted.detach().numpy(), rel=1e-12)


@pytest.mark.parametrize("output", ["class-factored", "full"])
@pytest.mark.parametrize("activation", ["rectifier", "tanh", "sigmoid"])
@pytest.mark.parametrize("objective", ["likelihood", "nce"])
@pytest.mark.parametrize("dropout", [0.0, 0.25])
def test_gradients_and_loss(output, activation, objective, dropout):
    kernel, reference, classes = pair(output, activation)
    learner = trainer(kernel, objective, dropout)
    before = {name: kernel.get(name) for name in NAMES}
    # A descent of 1 along the mean gradient: what changes is the mean gradient.
    loss = learner.train(WINDOWS, 1000, 5, EXAMPLES, 1.0, 0.0)

    windows = torch.from_numpy(WINDOWS).long()
    mask = torch.from_numpy(learner.dropout(EXAMPLES, 1000, 5)) if dropout else None
    hidden = reference.hidden(windows[:, :-1], mask)
    if objective == "likelihood":
        wanted = likelihood_loss(reference, hidden, windows[:, -1])
    else:
        noise_classes, noise_words = learner.noise(np.ascontiguousarray(WINDOWS[:, -1]), 1000, 5)
        wanted = nce_loss(
            reference,
            hidden,
            windows[:, -1],
            torch.from_numpy(noise_classes).long(),
            torch.from_numpy(noise_words).long(),
            NoiseModel.from_counts(COUNTS, classes),
        )
    wanted.backward()
    assert loss == pytest.approx(wanted.item(), rel=1e-10)
    for name, parameter in reference.named().items():
        inside = name.replace("output_", "class_")
        step = before[inside] - kernel.get(inside)
        np.testing.assert_allclose(step * EXAMPLES, rows(parameter.grad), atol=1e-11, err_msg=name)


def test_adagrad_by_hand():
    kernel, reference, _ = pair()
    learner = trainer(kernel, optimiser="adagrad")
    for name in NAMES:
        learner.set(name, np.full_like(kernel.get(name), 0.25))
    before = kernel.get("class_weight")
    windows = torch.from_numpy(WINDOWS).long()
    likelihood_loss(reference, reference.hidden(windows[:, :-1]), windows[:, -1]).backward()
    gradient = reference.output.class_weight.grad.numpy()
    learner.train(WINDOWS, 0, 5, EXAMPLES, 0.1, 0.0)
    wanted = before - 0.1 * gradient / np.sqrt(0.25 + gradient**2)
    np.testing.assert_allclose(kernel.get("class_weight"), wanted, rtol=1e-7)
    np.testing.assert_allclose(learner.get("class_weight"), 0.25 + gradient**2)


@pytest.mark.parametrize("kind", [(_kernel.Network32, _kernel.Trainer32, np.float32)])
@pytest.mark.parametrize("objective", ["likelihood", "nce"])
def test_same_bits_for_any_number_of_threads_and_any_calls(kind, objective):
    network_type, trainer_type, real = kind
    results = []
    for threads, calls in ((1, 1), (2, 1), (5, 3)):
        network = network_type(CLASSES.of, CLASSES.count, ORDER - 1, DIM, "rectifier", True)
        random = np.random.default_rng(1)
        for name in NAMES:
            network.set(name, random.normal(size=network.get(name).shape).astype(real))
        learner = trainer_type(network, objective, NOISE, COUNTS, "adagrad", 0.3, threads)
        for part in np.array_split(np.arange(EXAMPLES), calls):
            learner.train(np.ascontiguousarray(WINDOWS[part]), int(part[0]), 9, 25, 0.1, 1e-4)
        results.append([network.get(name).tobytes() for name in NAMES])
    assert results[0] == results[1] == results[2]


def test_noise_follows_the_unigram():
    kernel, _, _ = pair()
    targets = np.repeat(np.int32(7), 4000)
    classes, words = trainer(kernel).noise(targets, 0, 1)
    by_class = np.bincount(CLASSES.of, COUNTS)
    shares = np.bincount(classes.ravel(), minlength=CLASSES.count) / classes.size
    assert shares == pytest.approx(by_class / by_class.sum(), abs=0.01)
    inside = CLASSES.of == CLASSES.of[7]
    shares = np.bincount(words.ravel(), minlength=WORDS) / words.size
    assert shares == pytest.approx(np.where(inside, COUNTS, 0) / COUNTS[inside].sum(), abs=0.01)


def test_a_word_that_never_occurs_is_never_noise():
    counts = COUNTS.copy()
    counts[:20] = 0
    kernel, _, _ = pair("full")
    learner = _kernel.Trainer64(kernel, "nce", 10, counts, "sgd", 0.0, 1)
    classes, _ = learner.noise(np.zeros(20_000, np.int32), 0, 1)
    assert classes.min() == 20


def test_single_precision_exponential():
    # One class of two words with scores 0 and x: p = 1 / (1 + exp(x)).
    network = _kernel.Network32(np.zeros(2, np.int32), 1, 1, 1, "rectifier", False)
    network.set("word_weight", np.array([[0.0], [1.0]], np.float32))
    x = np.linspace(-80, 80, 4001, dtype=np.float32)[:, None]
    words = np.zeros(len(x), np.int32)
    found = network.score(x, np.arange(len(x) + 1), words, 1)
    np.testing.assert_allclose(found, -np.logaddexp(0, x[:, 0].astype(float)), rtol=3e-6, atol=3e-7)


def test_shapes_and_numbers_are_checked():
    kernel, _, _ = pair()
    with pytest.raises(ValueError, match="shape does not fit"):
        kernel.set("embeddings", np.zeros((WORDS, DIM + 1)))
    with pytest.raises(ValueError, match="word out of range"):
        kernel.hidden(np.full((1, ORDER - 1), WORDS, np.int32), 1)
    with pytest.raises(ValueError, match="word out of range"):
        trainer(kernel).train(np.full((1, ORDER), -1, np.int32), 0, 0, 1, 0.1, 0.0)
    with pytest.raises(ValueError, match="unknown part"):
        kernel.get("weights")
