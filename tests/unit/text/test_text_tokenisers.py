"""The fast tokeniser against sacremoses, whose output it has but for letters unknown to that."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacremoses import MosesTokenizer

from nlmt.characters import MARKS
from nlmt.errors import InputError
from nlmt.text import Tokenisation, Tokeniser
from nlmt.text.tokenisers import _CONTAINED, TOKENISERS, FastMoses, cased_letters

LANGUAGES = ("en", "fr", "de", "cs", "it", "zh", "ja", "ar", "ga")

# What the rules look at, and what stands next to it.
PARTS = [
    *"aZ09sé,.'`\"()[]{}<>:;!?%&|$€/\\-_#@*+=~ ",
    *"\u00a0\u202f\u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e\u2013\u2014\u2026\u00b4\u00ba",
    *"\u0663\u2167\u00bd\u3042\u30a2\u4e00\u3002\uff0c\u0645\u060c\u0391\u03a3\u0130\U0001f600",
    *(
        "''",
        "\u00b4\u00b4",
        "...",
        "..",
        ".'",
        " .' ",
        " %",
        " :",
        ") .",
        "( a",
        "nº\u00a0",
        "\u00a0ºC",
    ),
    *("DOTMULTI", "DOTDOTMULTI", "e.g.", "No.", "Nr.", "M.", "p.", "art.", "U.S.A.", "3.14."),
    *("l'", "d'a", "can't", "'s", "1990's", "rock'n'roll", "5,300", "1 000,5", "a,b,c", ",,"),
    *("https://a.b/c?d=e&f=%20", "x@y.example", "&amp;", "&#124;", "word", "Wort", "\u00e9t\u00e9"),
]
# Letters and marks that sacremoses does not know.
OURS = dict.fromkeys(map(ord, {*MARKS, *cased_letters()} - {*MosesTokenizer("en").IsAlnum}))
TEXTS = st.one_of(
    st.lists(st.sampled_from(PARTS), max_size=12).map("".join),
    st.lists(st.sampled_from(PARTS), max_size=12).map(" ".join),
    st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20).map(
        lambda text: text.translate(OURS)
    ),
)


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=40, deadline=None)
@given(line=TEXTS)
def test_the_output_is_that_of_sacremoses(language: str, line: str) -> None:
    fast, sacremoses = (Tokenisation(name).of(language) for name in ("fast", "sacremoses"))
    assert fast(line) == sacremoses(line)


@pytest.mark.parametrize("language", ["en", "fr", "cs"])
def test_long_lines_of_everything(language: str) -> None:
    draw = random.Random(1)  # noqa: S311
    fast, sacremoses = (Tokeniser(language, tokeniser=name) for name in ("fast", "sacremoses"))
    for _ in range(40):
        line = draw.choice(("", " ")).join(draw.choices(PARTS, k=60))
        assert fast(line) == sacremoses(line)


def test_every_abbreviation_of_sacremoses_keeps_its_full_stop() -> None:
    from sacremoses.corpus import NonbreakingPrefixes

    for language in ("en", "fr", "de", "cs", "it"):
        fast, sacremoses = (Tokeniser(language, tokeniser=n) for n in ("fast", "sacremoses"))
        for prefix in NonbreakingPrefixes().words(language):
            word = prefix.split()[0]
            for line in (f"{word}. Then {word}. 5", f"{word}. x {word}."):
                assert fast(line) == sacremoses(line)


def test_what_patterns_need_is_said_of_patterns_that_sacremoses_has() -> None:
    from sacremoses import MosesPunctNormalizer

    rules = {
        pattern
        for language in ("en", "fr", "it")
        for pattern, _ in MosesPunctNormalizer(language).substitutions
    }
    assert set(_CONTAINED) <= rules
    assert all(part for part, _ in FastMoses("fr")._rules)


def test_unknown_tokenisers_name_the_known_ones() -> None:
    assert TOKENISERS.names()[:2] == ("fast", "sacremoses")
    with pytest.raises(InputError, match=r"unknown tokeniser 'moses' \(.*allowed: fast, sacrem"):
        Tokeniser("en", tokeniser="moses")
