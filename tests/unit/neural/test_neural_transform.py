"""The transform from the source's words and pairs to the vector of the translation."""

import numpy as np
import pytest
from paired_task import read_pairs

from nlmt.errors import InputError
from nlmt.lm.kinds import SourceFiles, TrainingData
from nlmt.neural import NeuralConfig, NeuralLM, Task, Trainer, encode
from nlmt.neural.source import transform as transform_module
from nlmt.neural.source.transform import (
    FEATURES,
    WEIGHTS,
    TransformEncoder,
    feature_ids,
    learn_transform,
    source_features,
)
from nlmt.neural.source.vectors import TableEncoder
from nlmt.neural.tensors import read_tensors, write_tensors
from nlmt.neural.text.numbered import NumberedText, Source, Texts
from nlmt.neural.text_facts import text_facts
from nlmt.vocabulary import Vocabulary

WORDS = [f"w{i}" for i in range(30)]
VOCABULARY = Vocabulary(("<unk>", "<s>", "</s>", *WORDS))
NONE = 0xFFFFFFFF


def bitext(sources, targets):
    """Both sides as numbers, the source beside the target."""
    source, target = encode(sources, VOCABULARY), encode(targets, VOCABULARY)
    position = np.zeros(target.events, np.int32)
    return NumberedText(target.stream, target.begins, Source(source, position))


def transform_of(bits, **keys):
    """A configuration with a transform of so many bits."""
    return NeuralConfig.from_dict({"source": "transform", "source_bits": bits, **keys})


def number(bits, first, second=NONE):
    return int(feature_ids(np.array([first]), np.array([second]), bits)[0])


def test_features_of_a_sentence():
    """By hand: counts of words, half counts of pairs, divided by the length of the vector."""
    text = encode(["w0 w1 w0 w1", "", "w2"], VOCABULARY)
    features = source_features(text.stream, text.begins[:-1], transform_of(20))
    a, b, c = 3, 4, 5
    wanted = {number(20, a): 2.0, number(20, b): 2.0}
    wanted |= {number(20, a, b): 2 / 2, number(20, b, a): 1 / 2}
    assert len(wanted) == 4
    length = np.sqrt(4 + 4 + 1 + 0.25)
    first = slice(0, features.begins[1])
    found = dict(zip(features.ids[first].tolist(), features.values[first].tolist(), strict=True))
    assert found == pytest.approx({key: value / length for key, value in wanted.items()})
    assert features.begins.tolist() == [0, 4, 4, 5]
    assert features.ids[4] == number(20, c)
    assert features.values[4] == 1


def test_other_features_of_a_sentence():
    """By hand: pairs of full weight, pairs around a word, three words; no division."""
    text = encode(["w0 w1 w2"], VOCABULARY)
    further = {"source_further": ["skips", "triples"], "source_normalised": False}
    config = transform_of(20, source_pair_weight=1.0, **further)
    features = source_features(text.stream, text.begins[:-1], config)
    a, b, c = 3, 4, 5
    wanted = {number(20, word): 1.0 for word in (a, b, c)}
    wanted |= {number(20, a, b): 1.0, number(20, b, c): 1.0}
    wanted |= {number(20, a + 2**31, c): 1.0, number(20, number(32, a, b), c): 2 / 3}
    assert len(wanted) == 7
    found = dict(zip(features.ids.tolist(), features.values.tolist(), strict=True))
    assert found == pytest.approx(wanted)


@pytest.mark.parametrize("schedule", ["decay", "reduce"])
def test_schedules_of_the_transform(schedule):
    random = np.random.default_rng(5)
    target = exact_target(random)
    train, dev = synthetic(random, 300), synthetic(random, 50)
    keys = {"transform_rates": [1.5], "transform_epochs": 8}
    found, constant = (
        learn_transform(transform_of(16, transform_schedule=one, **keys), train, dev, target)[0]
        for one in (schedule, "constant")
    )
    assert found.squared_error(dev) < constant.squared_error(dev)


def test_numbers_of_features_are_spread_over_all_bits():
    words = np.arange(40_000)
    ids = feature_ids(words % 200, words // 200, 20)
    assert 0 <= ids.min() < ids.max() < 1 << 20
    # A random function has 40,000^2 / 2 / 2^20 = 763 collisions among so many; 6 deviations.
    assert abs(len(words) - len(np.unique(ids)) - 763) < 6 * np.sqrt(763)
    assert set(feature_ids(words, words, 1).tolist()) == {0, 1}
    assert number(20, 7, 8) != number(20, 8, 7)


def synthetic(random, count):
    """Sentence pairs whose target words follow from the source words, one for one."""
    rows = [random.integers(0, len(WORDS), random.integers(3, 9)) for _ in range(count)]
    sources = [" ".join(WORDS[i] for i in row) for row in rows]
    targets = [" ".join(WORDS[-1 - i] for i in row) for row in rows]
    return Texts([bitext(sources, targets)])


def exact_target(random):
    """Vectors of translations: the sum over the words of a row each (tf-idf without weights)."""
    table = random.normal(size=(len(VOCABULARY), 5)).astype(np.float32)
    return TableEncoder("lsa", (), table, "tf-idf")


def test_learns_a_map_that_is_linear():
    random = np.random.default_rng(5)
    target = exact_target(random)
    train, dev = synthetic(random, 1500), synthetic(random, 100)
    config = transform_of(16, transform_rates=[0.1, 0.5], transform_epochs=15)
    transform, errors = learn_transform(config, train, dev, target)
    assert transform.cosines(train).mean() > 0.99
    assert transform.cosines(dev).mean() > 0.97
    assert list(errors) == [0.1, 0.5]
    assert min(errors.values()) == transform.squared_error(dev)
    # Against targets of other sentences there is nothing to be found.
    text, other = train.parts[0], synthetic(random, 1500).parts[0]
    source = Source(other.source.text, text.source.position)
    shuffled = Texts([NumberedText(text.stream, text.begins, source)])
    wrong, _ = learn_transform(config, shuffled, dev, target)
    assert wrong.cosines(dev).mean() < 0.5
    again, _ = learn_transform(config, train, dev, target)
    assert (again.weights == transform.weights).all()


def features_and_vectors(learnt, text):
    """The features of source sentences as a matrix, and the directions of their translations."""
    source = text.source.text
    features = source_features(source.stream, source.begins[:-1], learnt.architecture)
    matrix = np.zeros((len(features.begins) - 1, len(learnt.features)))
    sentences = np.repeat(np.arange(len(matrix)), np.diff(features.begins))
    matrix[sentences, np.searchsorted(learnt.features, features.ids)] = features.values
    vectors = learnt.target.at(text.stream, text.begins[:-1])
    return matrix, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_steps_follow_the_gradient():
    """One epoch, replayed with dense matrices; the step is along the numerical gradient."""
    random = np.random.default_rng(6)
    target, rate = exact_target(random), 0.3
    texts = synthetic(random, 40)
    config = transform_of(18, transform_rates=[rate], transform_epochs=1, seed=4)
    learnt, _ = learn_transform(config, texts, texts, target)
    x, wanted = features_and_vectors(learnt, texts.parts[0])
    theta = np.zeros(learnt.weights.shape)

    def half_error(i, theta):
        return 0.5 * np.square(wanted[i] - x[i] @ theta).sum()

    for i in np.random.default_rng([4, 0]).permutation(len(x)):
        step = rate * np.outer(x[i], wanted[i] - x[i] @ theta)
        direction = random.normal(size=theta.shape)
        slope = (half_error(i, theta + 1e-5 * direction) - half_error(i, theta)) / 1e-5
        assert (-step / rate * direction).sum() == pytest.approx(slope, rel=1e-3, abs=1e-3)
        theta += step
    assert learnt.weights == pytest.approx(theta, abs=1e-4)
    assert learnt.squared_error(texts) == pytest.approx(
        np.square(wanted - x @ theta).sum(axis=1).mean(), rel=1e-4
    )


def test_comes_close_to_the_closed_form():
    """Least squares of the same features, fewer than sentences: its error is the least."""
    random = np.random.default_rng(8)
    target, texts = exact_target(random), synthetic(random, 300)
    config = transform_of(6, transform_rates=[0.02], transform_epochs=100)
    learnt, _ = learn_transform(config, texts, texts, target)
    x, wanted = features_and_vectors(learnt, texts.parts[0])
    best = np.linalg.lstsq(x, wanted, rcond=None)[0]
    least = np.square(wanted - x @ best).sum(axis=1).mean()
    assert least < learnt.squared_error(texts) < 1.1 * least


@pytest.mark.parametrize("block", [1, 8192])
def test_vectors_of_unknown_words_and_of_repeated_sentences(monkeypatch, block):
    monkeypatch.setattr(transform_module, "BLOCK", block)
    random = np.random.default_rng(2)
    known = np.array(sorted([number(20, 3), number(20, 4)]), np.int32)
    weights = random.normal(size=(2, 3)).astype(np.float32)
    transform = TransformEncoder(transform_of(20), known, weights, exact_target(random))
    text = encode(["w9", "w0 w9", "", "w1 w1"], VOCABULARY)
    begins = text.begins[:-1]
    vectors = transform.at(text.stream, begins[[1, 0, 2, 3, 1]])
    assert (vectors[1:3] == 0).all()
    assert (vectors[0] == vectors[4]).all()
    row = np.searchsorted(known, number(20, 3))
    assert vectors[0] == pytest.approx(weights[row] / np.sqrt(2.25))  # words 1 and 1, pair 1/2
    row = np.searchsorted(known, number(20, 4))
    assert vectors[3] == pytest.approx(weights[row] * 2 / np.sqrt(4.25))


def read(pairs, **settings):
    small = {"output": "full", "source": "transform", "source_bits": 12, "epochs": 4}
    return read_pairs(pairs, **(small | settings))


@pytest.mark.parametrize("network", ["elman", "feed-forward"])
def test_models_see_the_transform(pairs, tmp_path, network):
    kind = {"network": network} | ({"order": 3} if network == "feed-forward" else {})
    task = read(pairs, **kind)
    result = Trainer(task).run()
    result.model.save(tmp_path)
    model = NeuralLM.load(tmp_path)
    dev = task.dev
    scores = model.score_sentences_given(dev.ids, dev.offsets, dev.source_positions())
    assert -scores.sum() / dev.events == pytest.approx(np.log(result.dev.perplexity))
    assert result.dev.perplexity < 0.7 * result.unigram
    assert result.metrics()["train_source_cosine"] > 0.9
    errors = result.metrics()["transform_errors"]
    assert list(errors) == [f"{rate:g}" for rate in result.model.config.transform_rates]
    assert min(errors.values()) == pytest.approx(min(result.transform_errors.values()), abs=1e-6)
    facts, of_sentences = text_facts(model, pairs / "dev.e", [pairs / "dev.f"])
    cosines = task.encoder.cosines(Texts([dev]))
    assert of_sentences["source_cosine"] == pytest.approx(cosines)
    assert facts["source_cosine"] == pytest.approx(cosines.mean())
    assert facts["source_cosine_error"] == pytest.approx(
        np.sqrt(cosines.var(ddof=1) / dev.sentences)
    )
    assert facts["source_cosine"] > 0.9
    with pytest.raises(InputError, match="conditioned on the source, but none is given"):
        text_facts(model, pairs / "dev.e")


def test_a_model_goes_on_with_its_transform(pairs):
    start = Trainer(read(pairs, epochs=1)).run().model
    config = NeuralConfig.from_dict({**start.config.to_dict(), "seed": 9})
    target, source = pairs / "dev.e", SourceFiles(pairs / "dev.f")
    files = TrainingData([target], target, sources=[source], dev_source=source)
    task = Task.read(config, files, start=start)
    assert task.source_arrays is start.source_arrays
    assert task.fingerprint["source vectors"] == read(pairs).fingerprint["source vectors"]


def test_damaged_arrays_are_refused(pairs, tmp_path):
    Trainer(read(pairs, epochs=1)).run().model.save(tmp_path)
    arrays, notes = read_tensors(tmp_path / "model.safetensors")

    def check(changed, message):
        write_tensors(tmp_path / "model.safetensors", changed, notes)
        with pytest.raises(InputError, match=message):
            NeuralLM.load(tmp_path)

    features = arrays[FEATURES]
    check(arrays | {FEATURES: features[::-1].copy()}, "not rising numbers of 12 bits")
    check(arrays | {FEATURES: features + (1 << 12)}, "not rising numbers of 12 bits")
    check(arrays | {FEATURES: features.astype(np.float32)}, "not rising numbers")
    check(arrays | {WEIGHTS: arrays[WEIGHTS][1:]}, "instead of transform_weights")
    del arrays[FEATURES]
    check(arrays, "no transform_features")
