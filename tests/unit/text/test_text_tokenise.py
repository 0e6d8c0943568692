import pytest

from nlmt.errors import InputError
from nlmt.text import LANGUAGES, Tokeniser, tokenise_lines


@pytest.mark.parametrize(
    ("language", "line", "tokens"),
    [
        (
            "en",
            "Don't use \u201cTools - Options\u201d, e.g. A&B!",
            'don \'t use " tools - options , " e.g. a & b !',
        ),
        ("fr", "L\u2019option\u00a0: 1\u00a0000 lignes", "l' option : 1,000 lignes"),
        ("cs", "Soubor, okno a ZDE.", "soubor , okno a zde ."),
        ("de", "Die Straße-Karte (neu)", "die straße-karte ( neu )"),
        ("en", "well-known foo.bar 5,300", "well-known foo.bar 5,300"),
        ("zh", "打开LibreOffice 文件。", "打 开 libreoffice 文 件 。"),
    ],
)
def test_known_sentences(language, line, tokens):
    assert Tokeniser(language)(line) == tokens
    assert Tokeniser(language).count(line) == len(tokens.split())


def test_field_separators_never_survive():
    tokeniser = Tokeniser("en")
    assert tokeniser("a ||| b|c") == "a &#124; &#124; &#124; b &#124; c"
    for language in ("en", "fr", "de", "cs"):
        text = Tokeniser(language)("x <s> y </s> <unk> z")
        assert not {"<s>", "</s>", "<unk>"} & set(text.split())


def test_one_line_stays_one_line():
    line = "a\u2028b\u2029c\x85d\x0be\x1cf\x00g\th\u00a0i\u202fj\u200bk\ufeffl\u00adm"
    text = Tokeniser("en")(line)
    assert text == "a b c d e f g h i jklm"
    assert text.splitlines() == [text]
    assert Tokeniser("en")(" \u00a0\u2028\x00 ") == ""


def test_lines_keep_their_order_for_any_number_of_processes():
    lines = [f"Line {n % 1700}, again." for n in range(2400)]
    single = list(tokenise_lines(lines, "en"))
    assert single[1701] == "line 1 , again ."
    assert list(tokenise_lines(lines, "en", threads=2)) == single
    assert list(tokenise_lines([], "en", threads=2)) == []


def test_unknown_languages_name_the_known_ones():
    with pytest.raises(InputError, match=r"unknown language code 'xx' \(one of ar, as, .*zh\)"):
        Tokeniser("xx")
    with pytest.raises(InputError, match="unknown language code 'xx'"):
        tokenise_lines([], "xx")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_works(language):
    assert Tokeniser(language)("Word, here.") == "word , here ."
