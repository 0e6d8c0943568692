"""Truecasing: beginnings of sentences, words that only begin them, capitals."""

from pathlib import Path

import pytest

from nlmt.errors import InputError
from nlmt.text import Tokenisation, Tokeniser, Truecaser, begins_small, capitalise

LINES = [
    "Click the Save icon . Then wait .",
    "The HTML of Prague , then this .",
    "HTTP is not HTML .",
    '" Click " is a Word',
    "The word , a Word",
]


def test_first_words_are_as_inside_sentences(tmp_path: Path) -> None:
    Truecaser.train(LINES).write(tmp_path / "words.gz")
    truecase = Truecaser.load(tmp_path / "words.gz")
    assert truecase("Then Click THE .") == "then Click THE ."
    assert truecase("( Click ) . The ! HTML ? Save") == "( click ) . the ! HTML ? Save"
    # Of words that only begin sentences, those in capitals keep them; unknown ones are as they are.
    assert truecase("HTTP") == truecase("Http") == "HTTP"
    assert truecase("Zorg") == "Zorg"
    # Two "Word" and one "word" inside sentences.
    assert truecase("word") == "Word"
    assert truecase("") == ""


def test_another_file_is_no_truecaser(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("word\ntwo words\n")
    with pytest.raises(InputError, match=r"text:2: not one word \(a truecaser has one"):
        Truecaser.load(tmp_path / "text")


def test_capitals_begin_sentences() -> None:
    assert capitalise('" a b . c ... 2 d ? ! e') == '" A b . C ... 2 d ? ! E'
    assert capitalise("a . b", first=False) == "a . B"
    assert capitalise("1 , 2") == "1 , 2"
    assert capitalise("\u10d7\u10d1") == "\u10d7\u10d1"  # Georgian capitals begin no sentence
    assert capitalise("\u01c6a . \ufb01n") == "\u01c5a . Fin"
    assert [begins_small(text) for text in ("1 a B", "A b", "", "-")] == [True, False, False, False]


def test_casing_of_a_tokeniser(tmp_path: Path) -> None:
    line = "Click the Save|Icon."
    assert Tokeniser("en", casing="keep")(line) == "Click the Save &#124; Icon ."
    assert Tokeniser("en")(line) == Tokeniser("en", casing="keep")(line).lower()
    path = str(tmp_path / "words")
    Truecaser.train(LINES).write(path)
    tokenisation = Tokenisation(casing="truecase", truecasers={"en": path})
    assert tokenisation.of("en")(line) == "click the Save &#124; Icon ."
