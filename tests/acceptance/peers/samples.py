"""Text in many languages: messages of the installed programs, and lines drawn at random."""

import random
import struct
from functools import cache
from pathlib import Path

import pytest

LOCALES = Path("/usr/share/locale")
# Languages with their folder of messages; English is what all of them are translations of.
LANGUAGES = {
    "en": "fr", "fr": "fr", "de": "de", "cs": "cs", "ru": "ru", "ar": "ar", "hi": "hi", "ko": "ko",
    "zh": "zh_CN", "ja": "ja", "it": "it", "fi": "fi", "uk": "uk", "tr": "tr",
}  # fmt: skip
# What rules of normalisation and tokenisation look at, and what stands next to it.
PARTS = [
    *"aZ09sé,.'`\"()[]{}<>:;!?%&|$€/\\-_#@*+=~ ",
    *"\u00a0\u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e\u2013\u2014\u2026\u00b4\u00ba\u3000",
    *"\u0663\u2167\u00bd\u3042\u30a2\u4e00\u3002\uff0c\u0645\u060c\u0391\u03a3\u0130\U0001f600",
    *("''", "...", "..", ".'", " .' ", " %", " :", ") .", "( a", "nº\u00a0", "\u00a0ºC", ",,"),
    *("DOTMULTI", "e.g.", "No.", "Nr.", "M.", "p.", "art.", "U.S.A.", "3.14.", "5,300", "1 000,5"),
    *("l'", "d'a", "can't", "'s", "1990's", "&amp;", "&#124;", "&quot;", "<skipped>", "@-@"),
    *("https://a.b/c?d=e&f=%20", "x@y.example", "word", "Wort", "\u00e9t\u00e9", "\u0915\u094d"),
]


def seeded(*names: object) -> random.Random:
    """A generator of random numbers of that name."""
    return random.Random(" ".join(map(str, names)))  # noqa: S311


def messages(language: str, count: int) -> list[str]:
    """Different lines of real text, at most `count`; English ones are those that French has."""
    return [pair[language != "en"] for pair in _translations(LANGUAGES[language])[:count]]


def bitext(language: str, count: int) -> tuple[list[str], list[str]]:
    """English lines and their translations, at most `count`."""
    pairs = _translations(LANGUAGES[language])[:count]
    return [english for english, _ in pairs], [other for _, other in pairs]


def made_up(draw: random.Random, count: int) -> list[str]:
    """Lines of parts at random, with or without spaces, and of any characters at all."""
    return [
        _characters(draw)
        if draw.random() < 0.1
        else draw.choice(("", " ")).join(draw.choices(PARTS, k=draw.randrange(13)))
        for _ in range(count)
    ]


def edited(draw: random.Random, line: str) -> str:
    """The line with words left out, moved and replaced."""
    words = [word for word in line.split(" ") if draw.random() > 0.1]
    if words and draw.random() < 0.5:
        words.insert(draw.randrange(len(words)), words.pop(draw.randrange(len(words))))
    return " ".join("new" if draw.random() < 0.1 else word for word in words)


def _characters(draw: random.Random) -> str:
    """Characters of the first two planes that are no controls and no surrogates."""
    codes = (
        draw.choice((draw.randrange(0x20, 0x7F), draw.randrange(0xA0, 0x1FFFF))) for _ in "x" * 20
    )
    return "".join(chr(code) for code in codes if not 0xD800 <= code < 0xE000)


@cache
def _translations(folder: str) -> list[tuple[str, str]]:
    """Different messages of all programs with their translations, in one order everywhere."""
    found: dict[str, str] = {}
    for path in sorted((LOCALES / folder / "LC_MESSAGES").glob("*.mo")):
        for english, other in _catalogue(path.read_bytes()):
            if "\0" not in english + other:  # no plurals
                for pair in zip(english.split("\n"), other.split("\n"), strict=False):
                    if min(map(len, pair)) > 2:
                        found.setdefault(*pair)
    if not found:
        pytest.skip(f"no translations of messages into {folder} on this machine")
    pairs = sorted(found.items())
    seeded("messages").shuffle(pairs)
    return pairs


def _catalogue(content: bytes) -> list[tuple[str, str]]:
    """Messages and translations of a file of GNU gettext; none if it is not in UTF-8."""
    _, _, count, *tables = struct.unpack_from("<5I", content)
    texts = []
    for table in tables:
        places = struct.unpack_from(f"<{2 * count}I", content, table)
        texts.append(
            [content[at : at + n] for n, at in zip(places[::2], places[1::2], strict=True)]
        )
    try:
        pairs = [(a.decode(), b.decode()) for a, b in zip(*texts, strict=True)]
    except UnicodeDecodeError:
        return []
    return [(a.partition("\x04")[2] or a, b) for a, b in pairs if a]
