"""Tokenisers by name, which convert running text of one language to tokens."""

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from typing_extensions import override

from nlmt.characters import MARKS
from nlmt.registry import Registry

# Patterns of the normaliser that match more than one text, each with a text that every match
# contains. Patterns that are not here are tried on every line.
_CONTAINED = {
    r" +": "  ",
    r"\) ([.!:?;,])": ") ",
    r"(\d) %": " %",
    "([a-zA-Z])\u2018([a-zA-Z])": "\u2018",
    "([a-zA-Z])\u2019([a-zA-Z])": "\u2019",
    r'"([,.]+)': '"',
    r'(\.+)"(\s*[^<])': '."',
    "(\\d)\u00a0(\\d)": "\u00a0",
}
_ESCAPED = re.compile(r"\\([^\w])|\\(r)")
_SPECIAL = set(r".^$*+?{}[]|()")

Rule = tuple[str, Callable[[str], str]]  # a text in every line that it changes, and the change


class WordTokeniser(ABC):
    """Converts running text of one language to tokens."""

    @abstractmethod
    def __init__(self, language: str) -> None:
        """Prepare for `language`, an ISO 639-1 code."""

    @abstractmethod
    def __call__(self, text: str) -> str:
        """The tokens, separated by spaces, of one line without control characters."""


class Sacremoses(WordTokeniser):
    """Moses' scripts normalize-punctuation.perl and tokenizer.perl, through sacremoses."""

    @override
    def __init__(self, language: str) -> None:
        # Imported here, as it takes 0.2 s that commands without texts can save.
        from sacremoses import MosesPunctNormalizer, MosesTokenizer

        self._normaliser = MosesPunctNormalizer(language)
        self._tokeniser = MosesTokenizer(language)

    @override
    def __call__(self, text: str) -> str:
        text = self._normaliser.normalize(text)
        tokens: str = self._tokeniser.tokenize(
            text, aggressive_dash_splits=False, return_str=True, escape=False
        )
        return tokens


class FastMoses(WordTokeniser):
    """Tokenises by the rules of sacremoses in a tenth of its time, and parts no word at a mark.

    The letters of sacremoses are those of an old Unicode, and some marks: it parts accents that
    follow their letters, tones of Thai and capitals of Georgian from their words, and nothing joins
    them again. All other text is tokenised as by sacremoses.

    The rules, character sets and abbreviations are those of the installed sacremoses. Its time is
    spent on work for every line that few lines need: most of its seventy patterns do not occur in a
    line, as a search for a character that they require shows; sets of characters are rebuilt for
    each token; lists of abbreviations are searched linearly; and ideographs beyond the first 65,536
    characters are compared one by one, which takes milliseconds per line.
    """

    @override
    def __init__(self, language: str) -> None:
        from sacremoses import MosesPunctNormalizer, MosesTokenizer

        rules = MosesPunctNormalizer(language).substitutions
        self._rules = [_rule(pattern, replacement) for pattern, replacement in rules]
        # On ASCII text only these apply, and they yield ASCII text.
        self._ascii_rules = [rule for rule in self._rules if rule[0].isascii()]
        moses = self._moses = MosesTokenizer(language)
        symbols = moses.PAD_NOT_ISALNUM[0].pattern
        assert moses.IsAlnum in symbols
        letters = _ranges(moses.IsAlnum + MARKS + cased_letters())
        self._part_symbols = re.compile(symbols.replace(moses.IsAlnum, letters)).split
        self._commas = _Separator(
            ",", [moses.COMMA_SEPARATE_1, moses.COMMA_SEPARATE_2, moses.COMMA_SEPARATE_3]
        )
        apostrophes = {
            "en": moses.ENGLISH_SPECIFIC_APOSTROPHE,
            "fr": moses.FR_IT_SPECIFIC_APOSTROPHE,
            "it": moses.FR_IT_SPECIFIC_APOSTROPHE,
        }
        self._apostrophes = _Separator(
            "'", apostrophes.get(language, [moses.NON_SPECIFIC_APOSTROPHE])
        )
        self._letters, self._lower = frozenset(moses.IsAlpha), frozenset(moses.IsLower)
        self._before_numbers = frozenset(moses.NUMERIC_ONLY_PREFIXES)
        self._prefixes = frozenset(moses.NONBREAKING_PREFIXES) - self._before_numbers

    @override
    def __call__(self, text: str) -> str:
        for part, change in self._ascii_rules if text.isascii() else self._rules:
            if part in text:
                text = change(text)
        return self._tokenise(text)

    def _tokenise(self, text: str) -> str:
        """Apply the steps of `MosesTokenizer.tokenize` in their order."""
        text = " ".join(self._part_symbols(" ".join(text.split())))
        if ".." in text:
            text = self._moses.replace_multidots(text)
        if "," in text:
            text = self._commas(text)
        if "'" in text:
            text = self._apostrophes(text)
        tokens = text.split()
        if "." in text:
            self._part_full_stops(tokens)
        text = " ".join(tokens)
        if text.endswith(".'"):
            text = f"{text[:-2]} . ' "
        if "DOTMULTI" in text:
            text = self._moses.restore_multidots(text)
        return text

    def _part_full_stops(self, tokens: list[str]) -> None:
        """Separate full stops, except of abbreviations (`handles_nonbreaking_prefixes`)."""
        for place, token in enumerate(tokens):
            if token[-1] != "." or len(token) == 1:
                continue
            prefix = token[:-1]
            first = tokens[place + 1][0] if place + 1 < len(tokens) else ""
            whole = (
                prefix in self._prefixes
                or first in self._lower
                or ("." in prefix and not self._letters.isdisjoint(prefix))
                or (prefix in self._before_numbers and "0" <= first <= "9")
            )
            if not whole:
                tokens[place] = f"{prefix} ."


class _Separator:
    """Puts spaces around a mark, by rules that depend only on the adjacent characters.

    So the result for a mark depends only on those two, and is cached, unless two marks share a
    neighbour.
    """

    def __init__(self, mark: str, rules: Sequence[tuple[re.Pattern[str], str]]) -> None:
        self._mark, self._rules = mark, rules
        self._between = lru_cache(maxsize=1 << 14)(self._separated)

    def __call__(self, text: str) -> str:
        pieces = text.split(self._mark)
        if any(len(piece) < 2 for piece in pieces[1:-1]):
            return self._apply(text)
        parts = [pieces[0]]
        for left, right in pairwise(pieces):
            parts += self._between(left[-1:], right[:1]), right
        return "".join(parts)

    def _separated(self, left: str, right: str) -> str:
        """A mark between two characters, which are empty at the ends of the text."""
        text = self._apply(f"{left}{self._mark}{right}")
        return text[len(left) : len(text) - len(right)]

    def _apply(self, text: str) -> str:
        for pattern, replacement in self._rules:
            text = pattern.sub(replacement, text)
        return text


@lru_cache(maxsize=1)
def cased_letters() -> str:
    """All letters that are capital or small; none is beyond the last code."""
    letters = map(chr, range(0x1F000))
    return "".join(letter for letter in letters if unicodedata.category(letter) in ("Lu", "Ll"))


def _rule(pattern: str, replacement: str) -> Rule:
    """The rule for a substitution of the normaliser."""
    literal = _literal(pattern)
    if literal is not None:
        return literal, lambda text: text.replace(literal, replacement)
    compiled: Any = re.compile(pattern)
    return _CONTAINED.get(pattern, ""), lambda text: compiled.sub(replacement, text)


def _ranges(characters: str) -> str:
    """Ranges for the brackets of a pattern that match a set of letters and digits."""
    runs: list[list[int]] = []
    for code in sorted(set(map(ord, characters))):
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in runs)


def _literal(pattern: str) -> str | None:
    """The only text that a pattern matches, or None."""
    if _SPECIAL & set(_ESCAPED.sub("", pattern)) or "\\" in _ESCAPED.sub("", pattern):
        return None
    return _ESCAPED.sub(lambda match: match[1] or "\r", pattern)


TOKENISERS: Registry[type[WordTokeniser]] = Registry(
    "tokeniser", {"fast": FastMoses, "sacremoses": Sacremoses}
)
