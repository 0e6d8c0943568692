"""Interpolation of n-gram models of several texts, against the models themselves."""

import json
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines
from nlmt.lm import Interpolation, TrainingData, measure
from nlmt.ngram import NgramModel
from nlmt.ngram.kind import NGRAM
from nlmt.ngram.levels import Plan
from nlmt.ngram.mixing import Mixture, train_interpolated, words_of, write_interpolation
from nlmt.ngram.training import train_arpa
from nlmt.ngram.unknown import STAND_IN
from nlmt.settings_check import read_settings

GOLDEN = Path(__file__).parents[2] / "golden"
TEXTS = (
    ["a b c a", f"b a {STAND_IN} c", "a b", "c c a b a", f"{STAND_IN} b"],
    ["a d b", "d d a e", "b d a", "e a b d"],
)
WORDS = ["a", "b", "c", "d", "e", STAND_IN]


def log_p(model, context, word):
    """log p(word | context); contexts begin at the beginning of a sentence."""
    if word == "</s>":
        return model.score_words(model.lookup(context), np.array([0, len(context)]))[-1]
    words = [*context, word]
    return model.score_words(model.lookup(words), np.array([0, len(words)]))[-2]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Two models of one vocabulary, and their interpolation with weights 0.3 and 0.7."""
    folder = tmp_path_factory.mktemp("models")
    texts = []
    for number, lines in enumerate(TEXTS):
        texts.append(folder / f"text{number}")
        write_lines(texts[-1], lines)
    words = words_of(texts)
    assert words == set(WORDS)
    arpas = [folder / "0.arpa", folder / "1.arpa"]
    for text, arpa in zip(texts, arpas, strict=True):
        train_arpa(text, arpa, order=3, words=8, stand_in=True)
    write_interpolation(arpas, [0.3, 0.7], folder / "mixed.arpa")
    return [NgramModel(arpa) for arpa in (*arpas, folder / "mixed.arpa")]


def contexts(length):
    return [list(words) for words in product(WORDS, repeat=length)]


@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_it_sums_to_one_after_every_context(models, length):
    for context in contexts(length):
        total = sum(math.exp(log_p(models[2], context, word)) for word in [*WORDS, "</s>", "never"])
        assert total == pytest.approx(1, abs=1e-5), context


def test_ngrams_have_the_mean_of_the_models(models):
    in_text = {tuple(line.split()[:k]) for lines in TEXTS for line in lines for k in range(1, 4)}
    for *context, word in in_text:
        parts = [math.exp(log_p(model, context, word)) for model in models]
        assert parts[2] == pytest.approx(0.3 * parts[0] + 0.7 * parts[1], rel=1e-4)


def test_training_finds_the_weights_of_expectation_maximisation(tmp_path, models):
    dev = ["d a b", "a b d", "c a"]
    write_lines(tmp_path / "dev", dev)
    for number, lines in enumerate(TEXTS):
        with_unknown = [line.replace(STAND_IN, "<unk>") for line in lines]
        write_lines(tmp_path / f"text{number}", with_unknown)
    texts = [tmp_path / "text0", tmp_path / "text1"]
    found = train_interpolated(texts, tmp_path / "dev", tmp_path / "model", order=3)
    expected = Interpolation(models[:2], [1, 1]).tuned(dev)
    assert found.weights == pytest.approx(expected.model.weights)
    assert found.perplexities == pytest.approx(expected.alone)
    assert found.perplexity == pytest.approx(expected.perplexity)
    assert found.perplexity <= min(found.perplexities)
    static = measure(NgramModel(tmp_path / "model"), dev).perplexity
    assert static == pytest.approx(found.perplexity, rel=0.05)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dev", "model", "text0", "text1"]


@pytest.mark.parametrize("long", [0, 1])
def test_texts_of_sentences_shorter_than_the_ngrams(tmp_path, long):
    texts = [tmp_path / "0", tmp_path / "1"]
    for number, text in enumerate(texts):
        write_lines(text, ["a", "b", "a"] if number != long else ["a b c d", "b a d c"])
    write_lines(tmp_path / "dev", ["a b", "b"])
    train_interpolated(texts, tmp_path / "dev", tmp_path / "model", order=4)
    model = NgramModel(tmp_path / "model")
    assert model.order == 4
    sums = [sum(np.exp(log_p(model, [w], x)) for x in [*"abcd", "</s>", "z"]) for w in "abz"]
    assert sums == pytest.approx([1, 1, 1], rel=1e-4)


def test_the_kind_interpolates_several_texts(tmp_path):
    for name, lines in zip(("old.gz", "new", "dev"), (*TEXTS, ["d a b"]), strict=True):
        write_lines(tmp_path / name, lines)
    values = {"kind": "ngram", "order": 2, "texts": ["old", "new"], "quantise": 8}
    settings = read_settings(NGRAM.settings, values)
    assert NGRAM.plan(settings).files == ("model.binary", "interpolation.json")
    data = TrainingData([tmp_path / "old.gz", tmp_path / "new"], tmp_path / "dev", memory_mb=200)
    NGRAM.train(settings, data, tmp_path / "lm", threads=1)
    assert sorted(path.name for path in (tmp_path / "lm").iterdir()) == sorted(
        NGRAM.plan(settings).files
    )
    found = json.loads((tmp_path / "lm/interpolation.json").read_text())
    assert sum(part["weight"] for part in found["texts"].values()) == pytest.approx(1)
    assert found["texts"]["new"]["weight"] > found["texts"]["old"]["weight"]
    assert NGRAM.load(tmp_path / "lm/model.binary").order == 2


@pytest.mark.parametrize("prune", [(), (0, 0, 1)])
def test_the_limit_of_memory_changes_no_byte(tmp_path, prune):
    lines = list(read_lines(GOLDEN / "train.en"))
    parts = (lines[:20], lines[10:30], lines[30:40])
    texts = [tmp_path / str(number) for number in range(len(parts))]
    for text, part in zip(texts, parts, strict=True):
        write_lines(text, part)
    words = len(words_of(texts)) + 2
    arpas = [text.with_suffix(".arpa") for text in texts]
    for text, arpa in zip(texts, arpas, strict=True):
        train_arpa(text, arpa, order=4, prune=prune, words=words, stand_in=True)
    mixed = []
    for memory in ("100M", "20K"):  # of 500 bytes an n-gram
        write_interpolation(arpas, [0.5, 0.5, 0.0], tmp_path / "mixed", memory)
        mixed.append((tmp_path / "mixed").read_bytes())
    assert len(set(mixed)) == 1
    assert len(list(tmp_path.iterdir())) == 7


ARPA = r"""\data\
ngram 1=4
ngram 2=3
ngram 3=1

\1-grams:
-1	<unk>
-99	<s>	-0.3
-0.6	</s>
-0.6	a	-0.3

\2-grams:
-0.3	<s> a	-0.2
-0.3	a a	-0.2
-0.3	a </s>

\3-grams:
-0.1	<s> a a

\end\
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("", "", ""),
        ("-0.3\ta </s>", "-0.3\t<unk> <unk>", ""),
        ("-0.3\ta a\t", "-0.3\t<unk> a\t", "order 3 without the one that ends it"),
        ("-0.3\t<s> a\t", "-0.3\t</s> a\t", "order 3 without the one that begins it"),
        ("\t<s> a a", "\ta </s> a", "order 3 without the one that ends it"),
        ("-0.3\ta </s>", "-0.3\ta a", "order 2 occurs twice"),
        ("-0.6\t</s>", "-0.6\ta", "order 1 occurs twice"),
        ("<s> a a", "<s> a b", "'b' is not a unigram"),
        ("ngram 3=1", "ngram 3=2", "1 n-grams of order 3, not 2"),
    ],
)
@pytest.mark.parametrize("memory", ["1b", "1M"])
def test_ngrams_that_do_not_fit_together(tmp_path, old, new, says, memory):
    arpa, mixed = tmp_path / "arpa", tmp_path / "mixed"
    arpa.write_text(ARPA.replace(old, new, 1))
    if not says:
        write_interpolation([arpa, arpa], [0.5, 0.5], mixed, memory)
        assert "-0.1\t<s> a a" in mixed.read_text()
        return
    with pytest.raises(InputError, match=says):
        write_interpolation([arpa, arpa], [0.5, 0.5], mixed, memory)
    assert list(tmp_path.iterdir()) == [arpa]


def test_rounding_makes_no_probability_above_one(tmp_path):
    for percent in range(1, 100):
        plan = Plan([percent / 100, 1 - percent / 100], 1, tmp_path)
        assert plan.mean(np.zeros((1, 2))) <= 0


def test_figures_of_texts_of_one_name():
    found = Mixture([0.5, 0.2, 0.3], [8.0, 9.0, 7.0], 6.0).to_dict(["train", "more", "train"])
    weights = {name: part["weight"] for name, part in found["texts"].items()}
    assert weights == {"train 1": 0.5, "more": 0.2, "train 3": 0.3}
