"""Words of languages that are written without spaces."""

import sys

import pytest

from nlmt.errors import InputError
from nlmt.settings_check import read_settings
from nlmt.text import Detokeniser, Tokenisation, Tokeniser
from nlmt.text.segmenters import SEGMENTERS, Segmenter
from nlmt.text.settings import PreparationSettings

JAPANESE = "このファイルを開き、LibreOffice Writer 7.4で保存します。"
CHINESE = "打开这个文件\uff0c用 LibreOffice Writer 7.4保存。"


def tokens(language: str, segmenter: str, line: str) -> str:
    return Tokeniser(language, segmenter=segmenter)(line)


def test_words_of_japanese_are_those_of_mecab() -> None:
    expected = "この ファイル を 開き 、 libreoffice writer 7.4 で 保存 し ます 。"
    assert tokens("ja", "mecab", JAPANESE) == expected
    assert tokens("ja", "mecab", "人々の e-mail: a@b.example") == "人々 の e-mail : a @ b.example"


def test_words_of_chinese_are_those_of_jieba() -> None:
    expected = "打开 这个 文件 \uff0c 用 libreoffice writer 7.4 保存 。"
    assert tokens("zh", "jieba", CHINESE) == expected


@pytest.mark.parametrize(
    ("language", "segmenter", "line"),
    [
        ("ja", "characters", JAPANESE),
        ("zh", "characters", CHINESE),
        ("ja", "mecab", JAPANESE),
        ("zh", "jieba", CHINESE),
    ],
)
def test_words_join_to_the_text(language: str, segmenter: str, line: str) -> None:
    text = Detokeniser(language)(tokens(language, segmenter, line))
    assert text.replace(" ", "") == line.lower().replace(" ", "")


def test_characters_are_the_default_of_the_library() -> None:
    expected = "人 々 の コ ー ド 1.0"
    assert Tokeniser("ja")("人々のコード1.0") == expected
    assert Tokenisation(segmenter={"zh": "jieba"}).of("ja")("人々のコード1.0") == expected


def test_a_library_that_is_missing_is_named_with_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "rjieba", None)
    message = r"the segmenter jieba needs rjieba, which is not installed \(make setup, or: pip"
    with pytest.raises(InputError, match=message):
        Tokeniser("zh", segmenter="jieba")
    monkeypatch.setitem(sys.modules, "MeCab", None)
    with pytest.raises(InputError, match="the segmenter mecab needs MeCab"):
        Tokeniser("ja", segmenter="mecab")


@pytest.mark.parametrize(
    ("segmenter", "message"),
    [
        ({"ja": "jieba"}, r"the segmenter jieba is not for 'ja' \(for zh\)"),
        ({"fr": "characters"}, r"the segmenter characters is not for 'fr' \(for zh, ja\)"),
        ({"zh": "jeiba"}, "jeiba"),
    ],
)
def test_a_segmenter_of_other_languages_is_refused(segmenter: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_settings(PreparationSettings, {"segmenter": segmenter})


def test_a_segmenter_of_a_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pairs(Segmenter):
        languages = ("zh", "th")

        def __init__(self, language: str) -> None:
            pass

        def __call__(self, text: str) -> list[str]:
            return [text[i : i + 2] for i in range(0, len(text), 2)]

    monkeypatch.setitem(SEGMENTERS._parts, "pairs", Pairs)
    assert tokens("zh", "pairs", "打开文件a这") == "打开 文件 a 这"
    with pytest.raises(InputError, match="'th' has no ideographs for the segmenter pairs"):
        read_settings(PreparationSettings, {"segmenter": {"th": "pairs"}})
