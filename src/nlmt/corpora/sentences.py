"""Sentences of a paragraph, by the rules of Moses and the abbreviations that sacremoses has."""

import re
from collections.abc import Iterator
from functools import lru_cache

_CLOSING = r"(?:[\"')\]}\u2019\u201d]|\u00a0?\u00bb)*"
_OPENING = r"(?:[\"'(\[{\u00bf\u00a1\u2018\u201c`]|\u00ab\u00a0?)*"
# Where a sentence may end: marks, a space, and what may begin the next one.
_END = re.compile(
    rf"(?<![.?!\u2026])(?P<marks>[.?!\u2026]+)(?P<closing>{_CLOSING})[ \u00a0]+"
    rf"(?=(?P<next>{_OPENING}(?:[^\W_]|[-\u2022])))"
)
_WIDE_END = re.compile(r"(?<=[\u3002\uff01\uff1f])(?=[^\u300d\u300f\u201d\uff09])")
_BEFORE_WORD = re.compile(r"[\s(\[{\"'\u2018\u201c\u00ab]")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")
_LONGEST = 100  # characters; no abbreviation has as many


def sentences(text: str, language: str) -> Iterator[str]:
    """Yield the sentences of a paragraph that stands on one line.

    A full stop ends a sentence where a space and a capital letter or a digit follow, but not after
    an abbreviation, or initials; after one that precedes numbers (`No.`), not before a digit.

    Languages without a list have English abbreviations.
    """
    begin = 0
    for match in _END.finditer(text):
        before = text[max(begin, match.start() - _LONGEST) : match.start()]
        if _ends(before, match["marks"], match["next"], language):
            yield from _wide(text[begin : match.end("closing")])
            begin = match.end()
    yield from _wide(text[begin:])


def _ends(before: str, marks: str, following: str, language: str) -> bool:
    """Whether a sentence ends by these marks, between its last characters and the next ones."""
    first = following[-1]
    if first.islower():
        return False
    if marks != ".":
        return True
    word = _BEFORE_WORD.split(before)[-1]
    prefixes, numeric = _prefixes(language)
    if word in prefixes or _INITIALS.fullmatch(word):
        return False
    return not (word in numeric and first.isdigit())


def _wide(text: str) -> Iterator[str]:
    """The sentences of Chinese and Japanese, which no space parts."""
    return (part.strip() for part in _WIDE_END.split(text) if part.strip())


@lru_cache
def _prefixes(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Abbreviations that end no sentence, and those that end none before a number."""
    from sacremoses.corpus import NonbreakingPrefixes

    found = NonbreakingPrefixes()
    known = language if language in found.available_langs.values() else "en"
    words = list(found.words(known))
    numeric = {word.split()[0] for word in words if "#NUMERIC_ONLY#" in word}
    plain = {word for word in words if "#NUMERIC_ONLY#" not in word}
    return frozenset(plain - numeric), frozenset(numeric)
