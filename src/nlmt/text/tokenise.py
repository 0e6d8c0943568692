"""Normalise, tokenise and lower-case, as Moses' scripts do (by way of sacremoses).

Two characters of the tokenised text mean something to later tools, so they are kept out of it:
`|` parts the fields of phrase tables and n-best lists and becomes `&#124;`, as Moses escapes it;
a line ends at a newline alone, so all other separators and control characters become spaces.
Chinese and Japanese have no spaces between words: each of their characters is a token.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from nlmt.errors import InputError
from nlmt.text.stream import in_chunks, ordered_map

LANGUAGES = (
    "ar", "as", "bn", "ca", "cs", "de", "el", "en", "es", "et", "fi", "fr", "ga", "gu", "hi",
    "hu", "is", "it", "ja", "kn", "lt", "lv", "ml", "mr", "nl", "or", "pa", "pl", "pt", "ro",
    "ru", "sk", "sl", "sv", "ta", "te", "zh",
)  # fmt: skip
PIPE = "&#124;"
_BREAKING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
UNSPACED = frozenset({"ja", "zh"})
_IDEOGRAPH = re.compile(
    "([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]")


class Tokeniser:
    """Text of one language to tokens."""

    def __init__(self, language: str) -> None:
        """Prepare for `language`, an ISO 639-1 code; InputError names the allowed ones."""
        # Not at the top: it takes 0.2 s that commands without texts need not spend.
        from sacremoses import MosesPunctNormalizer, MosesTokenizer

        check_language(language)
        self._unspaced = language in UNSPACED
        self._normaliser = MosesPunctNormalizer(language)
        self._tokeniser = MosesTokenizer(language)

    def __call__(self, line: str) -> str:
        """The tokens of `line`, lower-cased, with single spaces between them; may be empty."""
        line = _INVISIBLE.sub("", _BREAKING.sub(" ", line)).replace("\u202f", "\u00a0")
        if self._unspaced:
            line = _IDEOGRAPH.sub(r" \1 ", line)
        tokens: list[str] = self._tokeniser.tokenize(
            self._normaliser.normalize(line), aggressive_dash_splits=False, escape=False
        )
        return " ".join(" ".join(tokens).lower().replace("|", PIPE).split())

    def count(self, line: str) -> int:
        """The number of tokens of `line`."""
        return len(self(line).split())


def check_language(language: str) -> None:
    """Raise InputError, naming the allowed codes, where `language` is none of them."""
    if language not in LANGUAGES:
        raise InputError(
            f"unknown language code {language!r}", hint="one of " + ", ".join(LANGUAGES)
        )


def tokenise_lines(lines: Iterable[str], language: str, threads: int = 1) -> Iterator[str]:
    """Tokenise `lines` over `threads` processes; the result does not depend on their number.

    Lines are taken as they are asked for, so that memory does not grow with the text.

    Raises:
        InputError: unknown language.
    """
    check_language(language)
    tasks = ((language, chunk) for chunk in in_chunks(lines))
    return (line for chunk in ordered_map(_tokenise_chunk, tasks, threads) for line in chunk)


def _tokenise_chunk(task: tuple[str, list[str]]) -> list[str]:
    language, lines = task
    tokeniser = tokeniser_of(language)
    return [tokeniser(line) for line in lines]


@lru_cache(maxsize=4)
def tokeniser_of(language: str) -> Tokeniser:
    """One tokeniser a process and language: its making costs more than many lines."""
    return Tokeniser(language)
