import math

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.lm import perplexity
from nlmt.lm.perplexity import Perplexity, measure, measure_sentences


def test_perplexity_by_hand():
    # Three words, one of them unknown, one sentence end: 1/2, 1/4, 1/16 (unknown), 1/8.
    logs = [math.log(p) for p in (1 / 2, 1 / 4, 1 / 16, 1 / 8)]
    result = Perplexity(sum(logs), sum(logs) - logs[2], words=3, sentences=1, oov=1)
    assert result.events == 4
    assert result.perplexity == pytest.approx(2 ** (10 / 4))
    assert result.perplexity_without_oov == pytest.approx(2 ** (6 / 3))


def test_perplexity_to_dict_has_everything():
    result = Perplexity(-6.0, -3.0, words=2, sentences=1, oov=1).to_dict()
    assert result == {
        "log_probability": -6.0,
        "log_probability_without_oov": -3.0,
        "words": 2,
        "sentences": 1,
        "oov": 1,
        "events": 3,
        "perplexity": pytest.approx(math.exp(2.0)),
        "perplexity_without_oov": pytest.approx(math.exp(1.5)),
    }


def test_perplexity_of_impossible_text_is_infinite():
    assert Perplexity(-math.inf, -math.inf, words=1, sentences=1, oov=0).perplexity == math.inf
    assert Perplexity(-1e6, -1e6, words=1, sentences=1, oov=0).perplexity == math.inf


@pytest.mark.parametrize(("words", "sentences", "oov"), [(0, 0, 0), (2, 1, 3), (2, 1, -1)])
def test_perplexity_refuses_counts_that_cannot_be(words, sentences, oov):
    with pytest.raises(ValueError, match="a perplexity needs a sentence"):
        Perplexity(-1.0, -1.0, words=words, sentences=sentences, oov=oov)


class Quarters:
    """Known words have probability 1/4, the unknown one, of id 7, 1/16; an end has exp(-2)."""

    def lookup(self, words):
        return np.array([7 if word == "<unk>" else 1 for word in words], np.int32)

    def score_words(self, ids, offsets):
        return np.insert(np.where(ids == 7, math.log(1 / 16), math.log(1 / 4)), offsets[1:], -2.0)

    def score_sentences(self, ids, offsets):
        raise AssertionError("OOV needs words")


@pytest.mark.parametrize("block", [1, 2, 100])
def test_measure_by_hand(monkeypatch, block):
    monkeypatch.setattr(perplexity, "BLOCK", block)
    found = measure(Quarters(), ["a <unk>", "", "b"])
    assert (found.words, found.sentences, found.oov) == (3, 3, 1)
    assert found.log_probability_without_oov == pytest.approx(2 * math.log(1 / 4) - 6)
    assert found.log_probability == pytest.approx(4 * math.log(1 / 4) - 6)
    with pytest.raises(InputError, match="a text without a line"):
        measure(Quarters(), [])


def test_sentences_add_up_to_the_text(monkeypatch, tmp_path):
    monkeypatch.setattr(perplexity, "BLOCK", 2)
    (tmp_path / "text").write_text("a <unk>\n\nb\n")
    found, sentences = measure_sentences(Quarters(), tmp_path / "text")
    expected = [math.log(1 / 4) + math.log(1 / 16) - 2, -2, math.log(1 / 4) - 2]
    assert sentences.tolist() == pytest.approx(expected)
    assert found.log_probability == pytest.approx(sum(expected))
