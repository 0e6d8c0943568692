"""Words in pieces: what sentencepiece makes of them, and back to words."""

from pathlib import Path

import pytest

from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.text import Pieces, Tokenisation, join_pieces, read_words, train_pieces, words_with
from nlmt.text.settings import PreparationSettings

LINES = ["click the save icon .", "the icons of the windows , saved", "a window is clicked &#124;"]


def test_pieces_become_words() -> None:
    assert join_pieces("▁click ing ▁the ▁ icon s") == "clicking the icons"
    assert join_pieces("ing ▁the") == "ing the"  # a translation may begin inside a word
    assert join_pieces("") == ""


def test_words_with_some_pieces() -> None:
    line = "ing ▁click ed ▁zé bra ▁the ▁zé"
    assert words_with(line, ["zé"]) == ()
    assert words_with(line, ["▁zé", "ing"]) == ("ing", "zébra", "zé")


def test_read_words(tmp_path: Path) -> None:
    write_lines(tmp_path / "text", ["▁click ed", ""])
    assert read_words(tmp_path / "text", pieces=True) == ["clicked", ""]
    assert read_words(tmp_path / "text", pieces=False) == ["▁click ed", ""]


def test_languages_with_pieces() -> None:
    assert PreparationSettings(segmenter={"fr": "sentencepiece"}).pieces == 8000
    with pytest.raises(ValueError, match="sentencepiece is not for 'zh'"):
        PreparationSettings(segmenter={"zh": "sentencepiece"})
    with pytest.raises(ValueError, match="'sentencepiece'"):
        PreparationSettings(segmenter={"fr": "sentencepieces"})


def test_a_damaged_model(tmp_path: Path) -> None:
    pytest.importorskip("sentencepiece")
    (tmp_path / "en.model").write_bytes(b"not a model")
    with pytest.raises(InputError, match="no model of sentencepiece"):
        Pieces(tmp_path / "en.model")


def test_equal_texts_make_equal_models_that_keep_words(tmp_path: Path) -> None:
    pytest.importorskip("sentencepiece")
    write_lines(tmp_path / "text", LINES * 20)
    for name in ("one", "two"):
        train_pieces(tmp_path / "text", tmp_path / name, size=40)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    divide = Pieces(tmp_path / "one")
    for line in [*LINES, "unknown 日本 zébra ﬁ ² words", "<s> </s> <unk>"]:
        assert join_pieces(divide(line)) == line
    assert len(divide(LINES[0]).split()) > len(LINES[0].split())
    assert join_pieces(divide("a▁b ▁")) == "a_b _"
    assert divide("") == ""
    tokenise = Tokenisation(pieces={"en": str(tmp_path / "one")}).of("en")
    assert join_pieces(tokenise("Click the Save icon.")) == "click the save icon ."
    assert Tokenisation(pieces={"en": str(tmp_path / "one")}).of("fr")("Le mot.") == "le mot ."
