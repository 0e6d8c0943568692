"""Whole models: scores against a naive loop over torch, and what is evaluated only once."""

import json

import numpy as np
import pytest
import torch
from random_model import VOCABULARY, random_model

from nlmt.errors import InputError
from nlmt.lm import measure
from nlmt.neural import NeuralLM, encode
from nlmt.neural.torch_backend.window_network import WindowNetwork

TEXT = ["a b c", "", "a b d", "zzz a b", "a b c", "h g f e d c b a"]
KINDS = [
    {"projection": "diagonal", "output": "class-factored"},
    {"projection": "diagonal", "output": "full", "activation": "tanh"},
    {"projection": "full", "output": "class-factored", "activation": "sigmoid"},
    {"projection": "concatenation", "output": "full", "hidden": [7]},
    {"projection": "concatenation", "output": "tree-factored", "hidden": [7, 5]},
]


def make(kind, threads=1):
    return random_model({"order": 4, "dim": 9, **kind}, threads)


def naive(model, lines):
    """Score one word after the other, in double precision."""
    network = WindowNetwork(model.config, model.layout).double()
    network.load_parameters(model.parameters)
    result = []
    for line in lines:
        words = [1, 1, 1, *model.lookup(line.split()).tolist(), 2]
        result.append(
            sum(
                network.log_probabilities(
                    torch.tensor([words[i - 3 : i]]), torch.tensor([words[i]])
                ).item()
                for i in range(3, len(words))
            )
        )
    return result


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_sentences_equal_a_naive_loop(kind):
    model = make(kind)
    corpus = encode(TEXT, VOCABULARY)
    scores, statistics = model.score_sentences_with_statistics(corpus.ids, corpus.offsets)
    assert scores.tolist() == pytest.approx(naive(model, TEXT), rel=1e-5)
    assert statistics.requests == corpus.events == 26
    padded = [[*["<s>"] * 3, *s.replace("zzz", "<unk>").split(), "</s>"] for s in TEXT]
    ngrams = {tuple(s[i : i + 4]) for s in padded for i in range(len(s) - 3)}
    assert statistics.distinct_ngrams == len(ngrams)
    assert statistics.distinct_contexts == len({ngram[:3] for ngram in ngrams})


@pytest.mark.parametrize("kind", KINDS, ids=str)
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
        scores.append(make(KINDS[0], threads).score_sentences(corpus.ids, corpus.offsets))
    assert scores[0].tobytes() == scores[1].tobytes()
    assert scores[0][150] == scores[2][0]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_unnormalised_scores_and_log_z(kind):
    model = make(kind)
    corpus = encode(TEXT, VOCABULARY)
    network = WindowNetwork(model.config, model.layout).double()
    network.load_parameters(model.parameters)
    wanted, log_z = [], []
    for line in TEXT:
        words = [1, 1, 1, *model.lookup(line.split()).tolist(), 2]
        rows = torch.tensor([words[i - 3 : i + 1] for i in range(3, len(words))])
        scores, normalisers = network.output.scores(network.hidden(rows[:, :-1]), rows[:, -1])
        wanted.append(scores.sum().item())
        log_z += normalisers.sum(1).tolist()
    model.normalised = False
    scores = model.score_sentences(corpus.ids, corpus.offsets)
    assert scores.tolist() == pytest.approx(wanted, rel=1e-5)
    assert model.mean_abs_log_z(corpus) == pytest.approx(np.abs(log_z).mean(), abs=1e-5)


def test_nothing_to_score():
    model = make(KINDS[0])
    none = model.score_sentences(np.zeros(0, np.int32), np.zeros(1, np.int64))
    assert none.shape == (0,)
    assert model.score_ngrams(np.zeros((0, 3), np.int32), np.zeros(0, np.int32)).shape == (0,)


def test_perplexity_counts_words_ends_and_oov():
    model = make(KINDS[0])
    found = measure(model, TEXT)
    assert (found.words, found.sentences, found.oov) == (20, 6, 1)
    assert found.log_probability == pytest.approx(sum(naive(model, TEXT)), rel=1e-5)
    assert found.perplexity == pytest.approx(np.exp(-sum(naive(model, TEXT)) / 26), rel=1e-5)
    # Without the first word of `zzz a b`, which stands in the contexts of the others all the same.
    unknown = model.score_ngrams(np.array([[1, 1, 1]], np.int32), np.array([0], np.int32))[0]
    without = np.exp(-(sum(naive(model, TEXT)) - unknown) / 25)
    assert found.perplexity_without_oov == pytest.approx(without, rel=1e-5)
    with pytest.raises(InputError, match="without a line"):
        measure(model, [])


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_folder_round_trip(tmp_path, kind):
    model = make(kind)
    model.save(tmp_path)
    loaded = NeuralLM.load(tmp_path)
    assert loaded.config == model.config
    corpus = encode(TEXT, VOCABULARY)
    scores = [m.score_sentences(corpus.ids, corpus.offsets).tobytes() for m in (model, loaded)]
    assert scores[0] == scores[1]


def test_damaged_folders_are_clear_errors(tmp_path):
    def broken(name, content, says):
        make(KINDS[0]).save(tmp_path)
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=says):
            NeuralLM.load(tmp_path)

    with pytest.raises(InputError, match="no model: there is no config"):
        NeuralLM.load(tmp_path)
    make(KINDS[0]).save(tmp_path)
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
    make(KINDS[0]).save(tmp_path)
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
