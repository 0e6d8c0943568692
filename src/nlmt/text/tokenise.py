"""Normalisation, tokenisation and lower-casing, as by Moses' scripts.

Two kinds of characters are special to later tools, so they are replaced in tokenised text: `|`
separates the fields of phrase tables and n-best lists and becomes `&#124;`, as in Moses; only a
newline ends a line, so all other separators and control characters become spaces. Chinese and
Japanese have no spaces between words: a segmenter inserts them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from nlmt.errors import InputError
from nlmt.text.segmenters import CHARACTERS, SEGMENTERS
from nlmt.text.stream import in_chunks, ordered_map
from nlmt.text.tokenisers import TOKENISERS

LANGUAGES = (
    "ar", "as", "bn", "ca", "cs", "de", "el", "en", "es", "et", "fi", "fr", "ga", "gu", "hi",
    "hu", "is", "it", "ja", "kn", "lt", "lv", "ml", "mr", "nl", "or", "pa", "pl", "pt", "ro",
    "ru", "sk", "sl", "sv", "ta", "te", "zh",
)  # fmt: skip
PIPE = "&#124;"
_BREAKING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
UNSPACED = frozenset({"ja", "zh"})
_IDEOGRAPHS = re.compile(
    "[\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]")


class Tokeniser:
    """Converts text of one language to tokens."""

    def __init__(
        self, language: str, *, tokeniser: str = "fast", segmenter: str = CHARACTERS
    ) -> None:
        """Prepare for a language.

        Args:
            language: an ISO 639-1 code.
            tokeniser: a name of `TOKENISERS`.
            segmenter: a name of `SEGMENTERS`, for languages written without spaces.

        Raises:
            InputError: unknown language or name; a segmenter of other languages, or one whose
                library is not installed.
        """
        check_language(language)
        self._tokenise = TOKENISERS.get(tokeniser)(language)
        self._segment = None
        if language in UNSPACED:
            check_segmenter(language, segmenter)
            self._segment = SEGMENTERS.get(segmenter)(language)

    def __call__(self, line: str) -> str:
        """The tokens of `line`, lower-cased and separated by single spaces; may be empty."""
        if not line.isprintable():  # the replaced characters are not
            line = _INVISIBLE.sub("", _BREAKING.sub(" ", line)).replace("\u202f", "\u00a0")
        segment = self._segment
        if segment is not None:
            line = _IDEOGRAPHS.sub(lambda run: f" {' '.join(segment(run[0]))} ", line)
        return " ".join(self._tokenise(line).lower().replace("|", PIPE).split())

    def count(self, line: str) -> int:
        """The number of tokens of `line`."""
        return len(self(line).split())


def check_language(language: str) -> None:
    """Raise InputError, naming the allowed codes, unless `language` is one of them."""
    if language not in LANGUAGES:
        raise InputError(
            f"unknown language code {language!r}", hint="one of " + ", ".join(LANGUAGES)
        )


def check_segmenter(language: str, segmenter: str) -> None:
    """Raise InputError if a segmenter is unknown or does not support the language."""
    languages = SEGMENTERS.get(segmenter).languages
    if language not in languages:
        raise InputError(
            f"the segmenter {segmenter} is not for {language!r}", hint=f"for {', '.join(languages)}"
        )


@dataclass(frozen=True)
class Tokenisation:
    """Settings of tokenisation for each language.

    Attributes:
        tokeniser: a name of `TOKENISERS`.
        segmenter: names of `SEGMENTERS` by language; characters for others.
    """

    tokeniser: str = "fast"
    segmenter: Mapping[str, str] = field(default_factory=dict)

    def of(self, language: str) -> Tokeniser:
        """The tokeniser of a language, cached in each process because it is costly to create.

        Raises:
            InputError: as in `Tokeniser`.
        """
        return _tokeniser_of(language, self.tokeniser, self.segmenter.get(language, CHARACTERS))


DEFAULT_TOKENISATION = Tokenisation()


@lru_cache(maxsize=4)
def _tokeniser_of(language: str, tokeniser: str, segmenter: str) -> Tokeniser:
    return Tokeniser(language, tokeniser=tokeniser, segmenter=segmenter)


def tokenise_lines(
    lines: Iterable[str],
    language: str,
    threads: int = 1,
    *,
    tokenisation: Tokenisation = DEFAULT_TOKENISATION,
) -> Iterator[str]:
    """Tokenise `lines` over `threads` processes; the result does not depend on their number.

    Lines are fetched on demand, so that memory does not grow with the text.

    Raises:
        InputError: unknown language, or as in `Tokeniser`.
    """
    tokenisation.of(language)
    tasks = ((tokenisation, language, chunk) for chunk in in_chunks(lines))
    return (line for chunk in ordered_map(_tokenise_chunk, tasks, threads) for line in chunk)


def _tokenise_chunk(task: tuple[Tokenisation, str, list[str]]) -> list[str]:
    tokenisation, language, lines = task
    return list(map(tokenisation.of(language), lines))
