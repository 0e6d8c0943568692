import pytest

from nlmt.characters import has_word
from nlmt.errors import InputError
from nlmt.text import LANGUAGES, Tokeniser, tokenise_lines, warn_of_general_rules


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


@pytest.mark.parametrize(
    ("language", "line", "tokens"),
    [
        ("vi", "Tie\u0302\u0301ng, a\u0301", "tie\u0302\u0301ng , a\u0301"),
        ("yo", "\u1ecdj\u1ecd\u0301.", "\u1ecdj\u1ecd\u0301 ."),  # no code for both marks
        ("th", "\u0e01\u0e47\u0e44\u0e21\u0e48", "\u0e01\u0e47\u0e44\u0e21\u0e48"),
        ("my", "\u1019\u103c\u1014\u103a\u1019\u102c", "\u1019\u103c\u1014\u103a\u1019\u102c"),
        ("he", "\u05e9\u05b8\u05c1\u05dc.", "\u05e9\u05b8\u05c1\u05dc ."),
        ("ka", "\u1c97\u1c91!", "\u10d7\u10d1 !"),  # capitals of Unicode 11
        ("en", "a\u20e3 \u20ac5", "a \u20e3 \u20ac 5"),  # a frame is a symbol
    ],
)
def test_marks_and_new_letters_stay_in_their_words(language, line, tokens):
    assert Tokeniser(language)(line) == tokens


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


def test_invisible_spaces_part_words_without_others():
    khmer = "\u1791\u17c5\u200b\u179f\u17b6\u179b\u17b6\u200b, \u200ba\u200bb"
    assert Tokeniser("km")(khmer) == "\u1791\u17c5 \u179f\u17b6\u179b\u17b6 , ab"


def test_what_nobody_sees_is_no_word():
    # Marks of direction, old and new, and the variation selectors after emoji and ideographs.
    text = "a \u2067b\u2069 \u061c c\u200f \ufe0f \u2764\ufe0f \u202e\u180e \U000e0100"
    assert Tokeniser("en")(text) == "a b c \u2764"
    assert not has_word("\u2067 \u061c\u200b\ufe0f\x00\u2028")
    assert has_word("\u2067.")


def test_lines_keep_their_order_for_any_number_of_processes():
    lines = [f"Line {n % 1700}, again." for n in range(2400)]
    single = list(tokenise_lines(lines, "en"))
    assert single[1701] == "line 1 , again ."
    assert list(tokenise_lines(lines, "en", threads=2)) == single
    assert list(tokenise_lines([], "en", threads=2)) == []


@pytest.mark.parametrize("code", ["", "e", "EN", "en-GB", "english"])
def test_codes_that_are_none(code):
    with pytest.raises(InputError, match=r"unknown language code .*two or three small letters"):
        Tokeniser(code)
    with pytest.raises(InputError, match="unknown language code"):
        tokenise_lines([], code)


@pytest.mark.parametrize("language", ["uk", "he", "tr", "ko", "liv"])
def test_other_languages_have_the_general_rules(language):
    # English abbreviations; an apostrophe and a full stop part words.
    general = "dr. smith ' s 5,300 files : x . ( so )"
    for tokeniser in ("fast", "sacremoses"):
        assert (
            Tokeniser(language, tokeniser=tokeniser)("Dr. Smith's 5,300 files: x. (so)") == general
        )
    assert Tokeniser("ko")("안녕하세요, 세계.") == "안녕하세요 , 세계 ."


def test_general_rules_are_told(caplog):
    warn_of_general_rules("fr")
    warn_of_general_rules("uk")
    assert [message[:38] for message in caplog.messages] == [
        "Moses has no rules of its own for uk: "
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_works(language):
    assert Tokeniser(language)("Word, here.") == "word , here ."
