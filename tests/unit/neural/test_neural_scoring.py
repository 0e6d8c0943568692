"""Whole models: scores against a naive loop over torch, what is evaluated once, facts of texts."""

import json

import numpy as np
import pytest
import torch
from random_model import KINDS, VOCABULARY, random_model

from nlmt.errors import InputError
from nlmt.lm import measure
from nlmt.neural import NeuralLM, Trainer, encode
from nlmt.neural.score import sentences as sentences_module
from nlmt.neural.text_facts import text_facts
from nlmt.neural.torch_backend.sentence_network import SentenceNetwork
from nlmt.neural.torch_backend.window_network import WindowNetwork

TEXT = ["a b c", "", "a b d", "zzz a b", "a b c", "h g f e d c b a", "a", "a b c d"]
WINDOWS = [
    {"projection": "diagonal", "output": "class-factored"},
    {"projection": "diagonal", "output": "full", "activation": "tanh"},
    {"projection": "full", "output": "class-factored", "activation": "sigmoid"},
    {"projection": "concatenation", "output": "full", "hidden": [7]},
    {"projection": "concatenation", "output": "tree-factored", "hidden": [7, 5]},
]


def make(kind, threads=1):
    sizes = {"dim": 8} if "network" in kind else {"dim": 9, "order": 4}
    return random_model(sizes | kind, threads)


def naive(model, line, normalised=True):
    """Log-probabilities of all words in double precision, each by reading all that is before it."""
    of_sentences = model.order is None
    network = (SentenceNetwork if of_sentences else WindowNetwork)(model.config, model.layout)
    network.double().load_parameters(model.parameters)
    words = torch.tensor([[1, *model.lookup(line.split()).tolist(), 2]])
    result = []
    for i in range(1, words.shape[1]):
        features = None
        if of_sentences:
            hidden = network.read(network.empty(1), words[:, :i])[0][:, -1]
            features = network.features(words[:, :i])
            features = features and features.select(slice(-1, None))
        else:
            hidden = network.hidden(torch.cat([torch.ones_like(words), words[:, :i]], 1)[:, -3:])
        scores, log_z = network.output.scores(hidden, words[:, i], features)
        result.append((scores - log_z.sum(1) if normalised else scores).item())
    return result


@pytest.mark.parametrize("kind", [*WINDOWS, *KINDS], ids=str)
def test_sentences_equal_a_naive_loop(kind, monkeypatch):
    model = make(kind)
    corpus = encode(TEXT, VOCABULARY)
    by_word = [naive(model, line) for line in TEXT]
    for sentences in (2, 1024):
        monkeypatch.setattr(sentences_module, "SENTENCES", sentences)
        scores, statistics = model.score_sentences_with_statistics(corpus.ids, corpus.offsets)
        assert scores.tolist() == pytest.approx([sum(words) for words in by_word], rel=1e-5)
        assert statistics.requests == corpus.events == 33
    padded = [[*line.replace("zzz", "<unk>").split(), "</s>"] for line in TEXT]
    longest = model.order or 100
    ngrams = {tuple(s[max(0, i - longest) : i]) for s in padded for i in range(1, len(s) + 1)}
    assert statistics.distinct_ngrams == len(ngrams)
    contexts = {tuple(s[max(0, i - longest + 1) : i]) for s in padded for i in range(len(s))}
    assert statistics.distinct_contexts == len(contexts)
    model.normalised = False
    unnormalised = [naive(model, line, normalised=False) for line in TEXT]
    found = model.score_sentences(corpus.ids, corpus.offsets)
    assert found.tolist() == pytest.approx([sum(words) for words in unnormalised], rel=1e-5)
    log_z = np.concatenate(unnormalised) - np.concatenate(by_word)
    assert model.mean_abs_log_z(corpus) == pytest.approx(np.abs(log_z).mean(), abs=1e-5)
    one = encode(TEXT[5:6], VOCABULARY)
    alone = model.score_sentences(one.ids, one.offsets)[0]
    assert alone == pytest.approx(found[5], abs=1e-5 if "transformer" in kind.values() else 0)


@pytest.mark.parametrize("kind", WINDOWS, ids=str)
def test_ngrams_sum_to_one(kind):
    model, words = make(kind), len(VOCABULARY)
    contexts = np.repeat(np.array([[1, 1, 1], [3, 0, 5]], dtype=np.int32), words, axis=0)
    scores = model.score_ngrams(contexts, np.tile(np.arange(words, dtype=np.int32), 2))
    assert np.exp(scores).reshape(2, words).sum(1) == pytest.approx([1, 1], rel=1e-6)


@pytest.mark.threads
def test_a_sentence_scores_the_same_bits_in_any_company_and_on_any_threads():
    random = np.random.default_rng(5)
    lines = [" ".join(random.choice(list("abcdefgh"), 12)) for _ in range(300)]
    scores = []
    for threads, chosen in ((1, lines), (2, lines), (1, lines[150:151])):
        corpus = encode(chosen, VOCABULARY)
        scores.append(make(WINDOWS[0], threads).score_sentences(corpus.ids, corpus.offsets))
    assert scores[0].tobytes() == scores[1].tobytes()
    assert scores[0][150] == scores[2][0]


def test_nothing_to_score():
    model = make(WINDOWS[0])
    none = model.score_sentences(np.zeros(0, np.int32), np.zeros(1, np.int64))
    assert none.shape == (0,)
    assert model.score_ngrams(np.zeros((0, 3), np.int32), np.zeros(0, np.int32)).shape == (0,)


def test_perplexity_counts_words_ends_and_oov():
    model = make(WINDOWS[0])
    found = measure(model, TEXT)
    assert (found.words, found.sentences, found.oov) == (25, 8, 1)
    total = sum(sum(naive(model, line)) for line in TEXT)
    assert found.log_probability == pytest.approx(total, rel=1e-5)
    assert found.perplexity == pytest.approx(np.exp(-total / 33), rel=1e-5)
    # Without the first word of `zzz a b`, which stands in the contexts of the others all the same.
    unknown = model.score_ngrams(np.array([[1, 1, 1]], np.int32), np.array([0], np.int32))[0]
    without = np.exp(-(total - unknown) / 32)
    assert found.perplexity_without_oov == pytest.approx(without, rel=1e-5)
    with pytest.raises(InputError, match="without a line"):
        measure(model, [])


def test_damaged_folders_are_clear_errors(tmp_path):
    def broken(name, content, says):
        make(WINDOWS[0]).save(tmp_path)
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=says):
            NeuralLM.load(tmp_path)

    with pytest.raises(InputError, match="no model: there is no config"):
        NeuralLM.load(tmp_path)
    make(WINDOWS[0]).save(tmp_path)
    whole = (tmp_path / "model.safetensors").read_bytes()
    broken("model.safetensors", whole[:-100], "model.safetensors: truncated or damaged")
    broken("model.safetensors", b"", "truncated or damaged")
    broken("config.json", b"{", "config.json:1: not JSON")
    broken("config.json", b'{"model": {"dimm": 3}}', "dimm: unknown key")
    settings = {"model": {"order": 4, "dim": 8}}
    broken("config.json", json.dumps(settings).encode(), "instead of embeddings")
    broken("config.json", b"[" * 100_000, "config.json: nested too deeply")
    broken("vocabulary.txt", b"a\nb\n", "vocabulary.txt: ")
    words = "\n".join(VOCABULARY.words[:-1])
    broken("vocabulary.txt", words.encode(), "vocabulary.txt: .* words, but the model has")
    broken("classes.tsv", b"word\tclass\na\t0\n", "classes.tsv: ")
    broken("classes.tsv", b"word\tclass\na\t99999999999\n", "classes.tsv:2: ")


def test_files_of_another_model_of_the_same_sizes(tmp_path):
    """As many words, classes and units: only the fingerprint tells."""
    make(WINDOWS[0]).save(tmp_path)
    for name, found, instead in (
        ("vocabulary.txt", "c\nd\n", "d\nc\n"),
        ("classes.tsv", "c\t2\n", "c\t3\n"),
        ("config.json", "relu", "tanh"),
    ):
        content = (tmp_path / name).read_text()
        assert found in content
        (tmp_path / name).write_text(content.replace(found, instead))
        with pytest.raises(InputError, match=r"model.safetensors: saved with other words"):
            NeuralLM.load(tmp_path)
        (tmp_path / name).write_text(content)
    NeuralLM.load(tmp_path)


@pytest.mark.parametrize("output", [{"output": "short-list", "short_list": 10}, {"output": "full"}])
def test_facts_of_a_text(tmp_path, make_task, output):
    model = Trainer(make_task(dim=8, epochs=1, objective="likelihood", **output)).run().model
    lines = [" ".join(model.vocabulary.words[3:9]), model.vocabulary.words[20]]
    (tmp_path / "text").write_text("".join(line + "\n" for line in lines))
    facts, of_sentences = text_facts(model, tmp_path / "text")
    assert of_sentences.keys() == {"abs_log_z"}
    of_each = [model.mean_abs_log_z(encode([line], model.vocabulary)) for line in lines]
    sums = [mean * events for mean, events in zip(of_each, (7, 2), strict=True)]
    assert of_sentences["abs_log_z"] == pytest.approx(sums, abs=1e-5)
    assert facts["mean_abs_log_z"] == pytest.approx(sum(sums) / 9, abs=1e-5)
    if output["output"] == "full":
        assert facts["predicted_share"] == 1
    else:
        predicted = model.layout.predicted[encode(lines, model.vocabulary).stream]
        assert facts["predicted_share"] == pytest.approx(predicted.mean())
        assert 0 < facts["predicted_share"] < 1
