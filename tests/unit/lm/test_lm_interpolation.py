"""Interpolated models: by hand, and weights against a search over all of them."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.lm.interpolation import Interpolation
from nlmt.lm.protocol import WordModel
from nlmt.ngram import NgramModel

GOLDEN = Path(__file__).parents[2] / "golden"


class Unigrams:
    """Probabilities of single words and of `</s>`; a word that it has not is `<unk>`."""

    def __init__(self, order: int | None = 1, **probabilities: float) -> None:
        self.order = order
        self.words = ["unk", *(word for word in probabilities if word not in ("unk", "end"))]
        self.logs = np.log([probabilities[word] for word in self.words])
        self.end = math.log(probabilities["end"])

    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        return np.array([self.words.index(w) if w in self.words else 0 for w in words], np.int32)

    def score_words(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return np.insert(self.logs[ids], offsets[1:], self.end)

    def score_sentences(
        self, ids: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        raise AssertionError("a mixture needs words")


FIRST = Unigrams(a=0.5, unk=0.25, end=0.25)
SECOND = Unigrams(order=3, a=0.125, b=0.5, unk=0.125, end=0.25)


def score(model: WordModel, *lines: str) -> list[float]:
    sentences = [line.split() for line in lines]
    ids = model.lookup([word for words in sentences for word in words])
    offsets = np.zeros(len(lines) + 1, np.int64)
    np.cumsum([len(words) for words in sentences], out=offsets[1:])
    values: list[float] = model.score_sentences(ids, offsets).tolist()
    return values


def test_by_hand() -> None:
    mixture = Interpolation([FIRST, SECOND], [3, 1])
    assert isinstance(mixture, WordModel)
    assert mixture.weights == [0.75, 0.25]
    assert mixture.order == 3
    a, b, c = 0.75 * 0.5 + 0.25 * 0.125, 0.75 * 0.25 + 0.25 * 0.5, 0.75 * 0.25 + 0.25 * 0.125
    wanted = [math.log(a * b * 0.25), math.log(0.25), math.log(c * c * 0.25)]
    assert score(mixture, "a b", "", "c d") == pytest.approx(wanted)
    # Words that no model tells apart are one word; ids stay from block to block.
    assert mixture.lookup(["d", "x", "b"]).tolist() == mixture.lookup(["c", "c", "b"]).tolist()
    assert score(mixture) == []


def test_a_weight_of_0_and_a_model_without_order() -> None:
    mixture = Interpolation([FIRST, Unigrams(order=None, a=0.0001, unk=0.9, end=0.1)], [1, 0])
    assert mixture.order is None
    assert score(mixture, "a") == pytest.approx([math.log(0.5 * 0.25)])


@pytest.mark.parametrize("weights", [[1], [1, -1], [0, 0], [1, math.nan], [1, math.inf], [1, 2, 3]])
def test_weights_that_make_no_sense(weights: list[float]) -> None:
    with pytest.raises(InputError, match="weights"):
        Interpolation([FIRST, SECOND], weights)


def test_tuned_weights_are_the_best_of_all() -> None:
    lines = ["a b b", "b a", "a b b c", ""]
    tuned = Interpolation([FIRST, SECOND], [1, 1]).tuned(lines)
    grid = np.linspace(0.001, 0.999, 999)
    totals = [sum(score(Interpolation([FIRST, SECOND], [w, 1 - w]), *lines)) for w in grid]
    assert tuned.model.weights[0] == pytest.approx(grid[int(np.argmax(totals))], abs=1e-3)
    events = sum(len(line.split()) + 1 for line in lines)
    assert tuned.perplexity == pytest.approx(math.exp(-max(totals) / events), rel=1e-5)
    only = Interpolation([FIRST], [1])
    assert tuned.alone[0] == pytest.approx(math.exp(-sum(score(only, *lines)) / events))
    with pytest.raises(InputError, match="no text to tune weights on"):
        Interpolation([FIRST, SECOND], [1, 1]).tuned([])


def test_words_of_kenlm_add_up_to_sentences(tmp_path: Path) -> None:
    model = NgramModel(GOLDEN / "model" / "lm.arpa.gz")
    assert isinstance(model, WordModel)
    lines = ["", "the house is small", "zzz the", ""]
    mixture = Interpolation([model, model], [0.5, 0.5])
    assert score(mixture, *lines) == pytest.approx(score(model, *lines), rel=1e-5)
    assert model.score_words(model.lookup(["the"]), np.array([0, 1])).shape == (2,)
