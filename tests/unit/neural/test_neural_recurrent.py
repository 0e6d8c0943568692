"""Networks over sentences: gradients, steps, direct features, whole models."""

import numpy as np
import pytest
import torch
from gradients import check_gradients
from random_model import DIRECT, KINDS, LAYOUTS, NETWORKS, VOCABULARY, random_model

from nlmt.errors import InputError
from nlmt.neural import Trainer, encode
from nlmt.neural.arrays import network_arrays
from nlmt.neural.score.sentences import SentenceStates
from nlmt.neural.settings.architecture import Architecture
from nlmt.neural.torch_backend.direct_features import Direct
from nlmt.neural.torch_backend.noise import NoiseModel
from nlmt.neural.torch_backend.sentence_network import SentenceNetwork

WORDS = len(VOCABULARY)


def network(kind):
    torch.manual_seed(1)
    architecture = Architecture(dim=8, **kind)
    result = SentenceNetwork(architecture, LAYOUTS[architecture.output]).double()
    with torch.no_grad():
        for parameter in result.parameters():
            parameter.normal_(0, 0.7)
    return result


def make(kind):
    return random_model({"dim": 8, **kind})


SENTENCES = torch.tensor([[1, 3, 4, 5], [1, 6, 3, 3], [1, 1, 0, 10]])
TARGETS = torch.tensor([[3, 4, 5, 2], [6, 3, 3, 7], [1, 0, 10, 9]])


def read_all(model):
    """What the output layer sees of all words, and their direct features."""
    hidden, _ = model.read(model.empty(3), SENTENCES)
    return hidden.flatten(0, 1), model.features(SENTENCES)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("alpha", [0.0, 0.2])
def test_gradients(kind, alpha):
    def loss(model):
        hidden, features = read_all(model)
        return model.output.likelihood_loss(hidden, TARGETS.flatten(), alpha, features)

    check_gradients(network(kind), loss)


COUNTS = np.arange(1.0, WORDS + 1)
NOISY = [
    {**kind, "output": output, **extra}
    for kind in NETWORKS
    for output, extra in (("class-factored", DIRECT), ("full", {}))
]


def noise_model(kind):
    classes = LAYOUTS["class-factored"].of if kind["output"] != "full" else np.arange(WORDS)
    return NoiseModel.from_counts(COUNTS, classes), torch.from_numpy(classes).long()


@pytest.mark.parametrize("kind", NOISY, ids=str)
def test_gradients_of_nce(kind):
    model, class_of = noise_model(kind)
    drawn = model.draw(class_of[TARGETS.flatten()], 4, torch.Generator().manual_seed(1))

    def loss(net):
        hidden, features = read_all(net)
        return net.output.noise_loss(hidden, TARGETS.flatten(), drawn, model, features)

    check_gradients(network(kind), loss)


@pytest.mark.parametrize("kind", NOISY[:2], ids=str)  # of any network: the output layer decides
def test_gradients_of_nce_approach_those_of_likelihood(kind):
    """With the output layer at the unigram, where it is normalised, for every other parameter."""
    model, class_of = noise_model(kind)
    words = TARGETS.flatten()

    def gradients(k):
        net = network(kind)
        biases = LAYOUTS[kind["output"]].unigram_biases(COUNTS)
        with torch.no_grad():
            if "direct_features" in kind:
                net.direct.zero_()
            for name, parameter in net.named().items():
                if name in biases:
                    parameter.copy_(torch.from_numpy(biases[name]))
                elif name in ("output_weight", "class_weight", "word_weight"):
                    parameter.mul_(1e-3)
        hidden, features = read_all(net)
        if k == 0:
            loss = net.output.likelihood_loss(hidden, words, 0.0, features)
        else:
            drawn = model.draw(class_of[words], k, torch.Generator().manual_seed(1))
            loss = net.output.noise_loss(hidden, words, drawn, model, features)
        loss.backward()
        return torch.cat([p.grad.flatten() for p in net.parameters()])

    wanted = gradients(0)
    errors = [(gradients(k) - wanted).norm() / wanted.norm() for k in (10, 1000, 20_000)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.03


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_sums_to_one_and_pieces_equal_the_whole(kind):
    model = network(kind)
    words = torch.tensor([[1, 3, 4, 5, 9], [1, 6, 3, 3, 0]])
    hidden, _ = model.read(model.empty(2), words)
    first, memories = model.read(model.empty(2), words[:, :2])
    second, _ = model.read(memories, words[:, 2:])
    assert torch.allclose(hidden, torch.cat([first, second], 1), atol=1e-12)
    rows = torch.arange(10).repeat_interleave(WORDS)
    features = model.features(words)
    features = features and features.select(rows)
    each = torch.arange(WORDS).repeat(10)
    log_p = model.output.log_probabilities(hidden.flatten(0, 1)[rows], each, features)
    probabilities = log_p.exp().view(-1, WORDS)
    assert probabilities.sum(1).tolist() == pytest.approx([1.0] * 10)


def test_elman_by_hand():
    model = network({"network": "elman", "output": "full"})
    with torch.no_grad():
        model.embeddings.zero_()
        model.embeddings[3, 0] = 2.0
        model.layers[0].hidden_weight.zero_()
        model.layers[0].hidden_weight[1, 0] = 3.0
        model.layers[0].bias.zero_()
    hidden, _ = model.read(model.empty(1), torch.tensor([[1, 3, 4]]))
    first, second = 0.5, 1 / (1 + np.exp(-2))
    wanted = 1 / (1 + np.exp(-3 * second))
    assert hidden[0, :, 0].tolist() == pytest.approx([first, second, 0.5])
    assert hidden[0, 2, 1].item() == pytest.approx(wanted)


def test_direct_features_by_hand():
    table = torch.arange(30.0)
    histories = torch.tensor([[1, 3], [4, 3], [1, 3]])
    features = Direct.after(table, 20, histories)
    assert features.begins.shape == (3, 2)
    # The last word alone, then the last two.
    assert features.begins[0, 0] == features.begins[1, 0]
    assert features.begins[0, 1] != features.begins[1, 1]
    assert features.begins[0].tolist() == features.begins[2].tolist()
    found = features.activations(torch.tensor([0, 7]))
    assert found.tolist() == [[sum(b) + 2 * u for u in (0, 7)] for b in features.begins.tolist()]
    of_each = features.activations(torch.tensor([[7], [0], [0]]))
    assert of_each[0, 0] == found[0, 1]


@pytest.mark.parametrize("kind", NETWORKS[2:], ids=str)
def test_states_are_taken_and_joined(kind):
    model = make({**kind, "output": "full"})
    _, after = model.step(model.start(2), np.array([3, 4], dtype=np.int32))
    several = after.take(np.array([1, 1, 0]))
    scores, _ = model.step(
        SentenceStates.join([several, after]), np.array([5, 6, 5, 5, 5], np.int32)
    )
    assert len(scores) == 5
    assert scores[0] == pytest.approx(scores[4], abs=1e-6)
    assert scores[2] == pytest.approx(scores[3], abs=1e-6)
    with pytest.raises(InputError, match="1 words for 2 states"):
        model.step(after, np.array([5], np.int32))
    # After different numbers of words, as the paths of a lattice are.
    states = SentenceStates.join([after, model.start(1), after.take(np.array([1]))])
    total = np.zeros(4)
    for column in ([5, 3, 4], [6, 4, 5], [2, 2, 2]):
        words = np.array([*column, column[1]], np.int32)
        scores, states = model.step(states, words)
        total += scores
    lines = encode(["a c d", "b a b", "b c", "b a b"], VOCABULARY)
    wanted = model.score_sentences(lines.ids, lines.offsets)
    first, _ = model.step(model.start(2), np.array([3, 4], np.int32))
    assert total[[0, 1, 3]] + first[[0, 1, 1]] == pytest.approx(wanted[[0, 1, 3]], abs=1e-4)
    assert total[2] == pytest.approx(wanted[2], abs=1e-4)


@pytest.mark.parametrize("kind", NETWORKS, ids=str)
def test_what_is_refused_and_nothing_to_score(kind):
    model = make(kind)
    none = model.score_sentences(np.zeros(0, np.int32), np.zeros(1, np.int64))
    assert none.shape == (0,)
    with pytest.raises(InputError, match="for models of n-grams"):
        model.score_ngrams(np.zeros((1, 3), np.int32), np.zeros(1, np.int32))
    with pytest.raises(InputError, match=f"does not take a model of network: {kind['network']}"):
        network_arrays(model)


def test_truncation_cuts_gradients_but_not_the_state(make_task):
    """With a long unroll the loss is the same, the gradients are not."""
    losses, weights = [], []
    for unroll in (1, 100):
        task = make_task(
            network="elman", objective="likelihood", unroll=unroll, dropout=0, epochs=1
        )
        result = Trainer(task).run()
        losses.append(result.progress.log[0].objective)
        weights.append(result.model.parameters["layers.0.hidden_weight"])
    assert losses[0] == pytest.approx(losses[1], rel=0.01)
    assert np.abs(weights[0] - weights[1]).max() > 1e-4
