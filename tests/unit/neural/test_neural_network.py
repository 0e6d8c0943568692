"""The parts in torch, in double precision: the oracle of everything else."""

import numpy as np
import pytest
import torch
from gradients import check_gradients

from nlmt.neural.outputs.classes import WordClasses
from nlmt.neural.outputs.full import Flat
from nlmt.neural.outputs.tree import WordTree
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.torch_backend.noise import Noise, NoiseModel, contrast_loss
from nlmt.neural.torch_backend.output import make_output
from nlmt.neural.torch_backend.window_network import WindowNetwork

CLASSES = WordClasses(np.array([0, 1, 1, 2, 2, 2, 3, 0], dtype=np.int32))
WORDS = 8
LAYOUTS = {
    "full": Flat(WORDS),
    "class-factored": CLASSES,
    "tree-factored": WordTree.huffman(np.array([5.0, 0, 9, 1, 1, 2, 6, 3])),
}
CONTEXTS = torch.tensor([[1, 3, 4], [7, 0, 2], [5, 5, 5], [1, 1, 1]])
TARGETS = torch.tensor([6, 3, 0, 5])


def network(**parts):
    torch.manual_seed(1)
    architecture = Architecture(order=4, dim=5, **parts)
    result = WindowNetwork(architecture, LAYOUTS[architecture.output]).double()
    with torch.no_grad():
        for parameter in result.parameters():
            parameter.normal_(0, 0.7)
    return result


PARTS = [
    {"projection": projection, "output": output, "hidden": hidden, "activation": activation}
    for projection, hidden, activation in (
        ("diagonal", (), "relu"),
        ("diagonal", (), "sigmoid"),
        ("full", (6,), "tanh"),
        ("concatenation", (), "relu"),
        ("concatenation", (6, 4), "tanh"),
    )
    for output in LAYOUTS
]


@pytest.mark.parametrize("parts", PARTS, ids=str)
def test_sums_to_one_over_the_vocabulary(parts):
    model = network(**parts)
    contexts = CONTEXTS.repeat_interleave(WORDS, 0)
    words = torch.arange(WORDS).repeat(len(CONTEXTS))
    log_p = model.output.log_probabilities(model.hidden(contexts), words)
    probabilities = log_p.exp().view(-1, WORDS)
    assert probabilities.sum(1).tolist() == pytest.approx([1.0] * len(CONTEXTS))


@pytest.mark.parametrize("parts", PARTS, ids=str)
@pytest.mark.parametrize("objective", ["likelihood", "self-normalised", "nce"])
def test_gradients(parts, objective):
    model = network(**parts)
    if parts["output"] == "tree-factored" and objective != "likelihood":
        return
    counts = np.arange(1.0, WORDS + 1)
    full = parts["output"] == "full"
    noise = NoiseModel.from_counts(counts, np.arange(WORDS) if full else CLASSES.of)
    # Words 1 and 2 share a class, and so on: noise words lie in the class of the target.
    noise_classes = torch.tensor([[0, 1, 2]] * 4)
    noise_words = torch.tensor([[6, 6, 6], [4, 5, 3], [7, 0, 7], [3, 3, 4]])

    def loss(model):
        hidden = model.hidden(CONTEXTS)
        if objective == "nce":
            drawn = Noise(noise_classes, noise_words)
            return model.output.noise_loss(hidden, TARGETS, drawn, noise)
        alpha = 0.0 if objective == "likelihood" else 0.2
        return model.output.likelihood_loss(hidden, TARGETS, alpha)

    check_gradients(model, loss)


def test_diagonal_equals_full_with_diagonal_matrices():
    diagonal, full = network(projection="diagonal"), network(projection="full")
    full.load_state_dict(
        diagonal.state_dict() | {"context": torch.diag_embed(diagonal.context.detach())}
    )
    first, second = (
        model.output.log_probabilities(model.hidden(CONTEXTS), TARGETS).tolist()
        for model in (diagonal, full)
    )
    assert first == pytest.approx(second, rel=1e-12)


def test_class_factored_by_hand():
    model = network()
    hidden = torch.tensor([[1.0, 0.0, 0.0, 0.0, 0.0]], dtype=torch.double)
    output = model.output
    with torch.no_grad():
        for parameter in output.parameters():
            parameter.zero_()
        # Class 2 has three quarters, its words 3, 4, 5 have 1/2, 1/4, 1/4.
        output.class_bias[2] = np.log(9.0)
        output.word_weight[3, 0] = np.log(2.0)
    probability = output.log_probabilities(hidden, torch.tensor([3])).exp().item()
    assert probability == pytest.approx(3 / 4 * 1 / 2)


def test_nce_gradient_approaches_that_of_likelihood():
    # A normalised model; noise of shares 1/10 to 4/10, so that k samples in exactly these shares
    # give the expected gradient of NCE with k samples.
    shares = np.array([1, 2, 3, 4])
    log_noise = torch.tensor(np.log(shares / 10))
    logits = torch.tensor([0.3, -1.2, 0.8, 0.1], dtype=torch.double, requires_grad=True)
    (wanted,) = torch.autograd.grad(-torch.log_softmax(logits, 0)[1], logits)

    def distance(k):
        samples = torch.tensor(np.repeat(np.arange(4), shares * (k // 10)))
        choices = torch.cat([torch.tensor([1]), samples])[None, :]
        scores = torch.log_softmax(logits, 0)[choices]
        loss = contrast_loss(scores, log_noise[choices]).sum()
        (gradient,) = torch.autograd.grad(loss, logits)
        return (gradient - wanted).abs().max().item()

    distances = [distance(k) for k in (10, 100, 1000, 10_000)]
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] < 1e-3
    # The error falls as 1 / k.
    assert distances[2] / distances[3] == pytest.approx(10, rel=0.05)


def test_tree_by_hand():
    # Words 0 and 1 below the left child of the root, 2 to its right.
    tree = WordTree.from_bits(["00", "01", "1"])
    output = make_output(tree, 1).double()
    hidden = torch.tensor([[2.0]], dtype=torch.double)
    with torch.no_grad():
        output.node_weight[0, 0] = np.log(3.0) / 2  # right with three quarters
        output.node_bias[1] = np.log(4.0)  # then right with four fifths
    found = [output.log_probabilities(hidden, torch.tensor([w])).exp().item() for w in range(3)]
    assert found == pytest.approx([1 / 4 * 1 / 5, 1 / 4 * 4 / 5, 3 / 4])


def test_self_normalised_by_hand():
    output = make_output(Flat(2), 1).double()
    with torch.no_grad():
        output.output_bias[:] = torch.tensor([np.log(3.0), np.log(5.0)])
    hidden, words = torch.zeros(1, 1, dtype=torch.double), torch.tensor([0])
    loss = output.likelihood_loss(hidden, words, alpha=0.1).item()
    assert loss == pytest.approx(np.log(8 / 3) + 0.1 * np.log(8) ** 2)


def test_noise_of_torch_follows_the_unigram():
    counts = np.array([4.0, 0, 1, 3, 1, 0, 5, 6])
    noise = NoiseModel.from_counts(counts, CLASSES.of)
    random = torch.Generator().manual_seed(1)
    drawn = noise.draw(torch.tensor([2, 0]), 20_000, random)
    classes, words = drawn.classes, drawn.words
    shares = np.bincount(classes.flatten(), minlength=4) / classes.numel()
    assert shares == pytest.approx(np.array([10, 1, 4, 5]) / 20, abs=0.01)
    shares = np.bincount(words[0], minlength=8)[3:6] / 20_000
    assert shares == pytest.approx([0.75, 0.25, 0], abs=0.02)
    assert set(words[1].tolist()) == {0, 7}
