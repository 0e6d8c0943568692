"""Recasing: the most probable casing by brute force, unknown words, beginnings of sentences."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.lm import number_words
from nlmt.ngram import NgramModel
from nlmt.translation import Finisher, Recaser, train_recaser

WORDS = ("apple", "Apple", "pie", "Pie", "PIE", "store", "Store", "the", "The", "of")


@pytest.fixture(scope="module")
def recaser(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Trained on random text whose words are often cased as the word before them."""
    chance, folder = np.random.default_rng(1), tmp_path_factory.mktemp("recaser")
    lines = []
    for _ in range(300):
        words = [str(chance.choice(WORDS))]
        while len(words) < 6:
            word = str(chance.choice(WORDS))
            if word[0].isupper() == words[-1][0].isupper() or chance.random() < 0.3:
                words.append(word)
        lines.append(f"{' '.join(words)} .")
    train_recaser(lines, folder / "forms.gz", folder / "model.binary")
    return folder


def test_the_best_casing_is_that_of_brute_force(recaser: Path) -> None:
    model = NgramModel(recaser / "model.binary")
    recase, chance = Recaser(recaser), np.random.default_rng(2)
    sentences = [[str(chance.choice(WORDS)).lower() for _ in range(5)] for _ in range(20)]
    forms: dict[str, set[str]] = {}
    for word in WORDS:
        forms.setdefault(word.lower(), set()).add(word)
    forms["the"] = {"the", "The"}
    for sentence, found in zip(sentences, recase(list(map(" ".join, sentences))), strict=True):
        every = [" ".join(words) for words in product(*(sorted(forms[w]) for w in sentence))]
        scores = model.score_sentences(*number_words(model, [*every, found]))
        assert scores[-1] == pytest.approx(np.max(scores[:-1]), abs=1e-4)
        assert found in every


def test_lines_stay_lines(recaser: Path) -> None:
    recase = Recaser(recaser, threads=2)
    assert [line.lower() for line in recase(["", "the zorg of apple", "of"])] == [
        "",
        "the zorg of apple",
        "of",
    ]
    assert recase.knows("apple")
    assert not recase.knows("zorg")


def test_text_of_tokens(recaser: Path) -> None:
    """Case by the model, unknown words from the source, capitals after full stops."""
    finish = Finisher("en", "lower", Recaser(recaser))
    sources = ["Le Zorg , ici .", "petit zorg", "Le ZORG"]
    lines = ["zorg , of . zorg ?", "of zorg", "zorg zorgs &#124;"]
    assert finish(sources, lines) == ["Zorg, of. Zorg?", "of zorg", "ZORG zorgs |"]
    assert finish(sources[:1], lines[:1], [["zorg"]]) == ["[Zorg], of. [Zorg]?"]


def test_text_of_tokens_with_case() -> None:
    assert Finisher("en", "keep", None)(["X"], ["a zorg ."]) == ["a zorg."]
    assert Finisher("en", "truecase", None)(["X", "x"], ["a . b", "a . b"]) == ["A. B", "a. B"]


def test_a_folder_without_a_recaser_is_named(recaser: Path, tmp_path: Path) -> None:
    (tmp_path / "forms.gz").symlink_to(recaser / "forms.gz")
    with pytest.raises(InputError, match=rf"{tmp_path}: no model\.binary here \(give the recaser"):
        Recaser(tmp_path)
