"""Normalisation, tokenisation and lower-casing or truecasing, as by Moses' scripts.

Two kinds of characters are special to later tools, so they are replaced in tokenised text: `|`
separates the fields of phrase tables and n-best lists and becomes `&#124;`, as in Moses; only a
newline ends a line, so all other separators and control characters become spaces. Chinese and
Japanese have no spaces between words: a segmenter inserts them.
"""

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from nlmt.characters import BREAKING, INVISIBLE
from nlmt.chunks import in_chunks, ordered_map
from nlmt.errors import InputError
from nlmt.steps import counted
from nlmt.text.casing import Casing, Truecaser
from nlmt.text.pieces import SENTENCEPIECE, Pieces
from nlmt.text.segmenters import CHARACTERS, SEGMENTERS
from nlmt.text.tokenisers import TOKENISERS

# Those for which Moses' rules have special cases; others have the general rules.
LANGUAGES = (
    "ar", "as", "bn", "ca", "cs", "de", "el", "en", "es", "et", "fi", "fr", "ga", "gu", "hi",
    "hu", "is", "it", "ja", "kn", "lt", "lv", "ml", "mr", "nl", "or", "pa", "pl", "pt", "ro",
    "ru", "sk", "sl", "sv", "ta", "te", "zh",
)  # fmt: skip
_CODE = re.compile("[a-z]{2,3}")
PIPE = "&#124;"
UNSPACED = frozenset({"ja", "zh"})
_IDEOGRAPHS = re.compile(
    "[\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
# An invisible space between words of Thai, Lao, Burmese or Khmer, which have no other one.
_SOUTHEAST = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
_WORD_BREAK = re.compile(f"(?<={_SOUTHEAST})\u200b+(?={_SOUTHEAST})")


class Tokeniser:
    """Converts text of one language to tokens."""

    def __init__(
        self,
        language: str,
        *,
        tokeniser: str = "fast",
        segmenter: str = CHARACTERS,
        casing: Casing = "lower",
        truecaser: str | None = None,
        pieces: str | None = None,
    ) -> None:
        """Prepare for a language.

        Args:
            language: a code of ISO 639; see `LANGUAGES`.
            tokeniser: a name of `TOKENISERS`.
            segmenter: a name of `SEGMENTERS`, for languages written without spaces.
            casing: of the tokens.
            truecaser: file of a `Truecaser`, for the casing `truecase`; None: case is kept.
            pieces: file of `Pieces`, into which tokens are divided at last; None: they are not.

        Raises:
            InputError: unknown language or name; a segmenter of other languages, or one whose
                library is not installed.
        """
        check_language(language)
        self._lower = casing == "lower"
        self._truecaser = None if truecaser is None else Truecaser.load(truecaser)
        self._pieces = None if pieces is None else Pieces(pieces)
        self._tokenise = TOKENISERS.get(tokeniser)(language)
        self._segment = None
        if language in UNSPACED:
            check_segmenter(language, segmenter)
            self._segment = SEGMENTERS.get(segmenter)(language)

    def __call__(self, line: str) -> str:
        """The tokens of `line` with single spaces between them; may be empty."""
        if not line.isprintable():  # what breaks lines is not
            line = BREAKING.sub(" ", line).replace("\u202f", "\u00a0")
        if not line.isascii():
            line = INVISIBLE.sub("", _WORD_BREAK.sub(" ", line))
        segment = self._segment
        if segment is not None:
            line = _IDEOGRAPHS.sub(lambda run: f" {' '.join(segment(run[0]))} ", line)
        text = self._tokenise(line)
        text = " ".join((text.lower() if self._lower else text).replace("|", PIPE).split())
        text = text if self._truecaser is None else self._truecaser(text)
        return text if self._pieces is None else self._pieces(text)

    def count(self, line: str) -> int:
        """The number of tokens of `line`."""
        return len(self(line).split())


_cached_tokeniser = lru_cache(maxsize=4)(Tokeniser)


def check_language(language: str) -> None:
    """Raise InputError where `language` is no code of two or three letters."""
    if not _CODE.fullmatch(language):
        hint = "two or three small letters of ISO 639, such as en"
        raise InputError(f"unknown language code {language!r}", hint=hint)


def warn_of_general_rules(language: str) -> None:
    """Log a warning where Moses' rules have no special cases for a language."""
    if language not in LANGUAGES:
        logging.warning(
            "Moses has no rules of its own for %s: text has the general ones, with abbreviations "
            "of English",
            language,
        )


def check_segmenter(language: str, segmenter: str) -> None:
    """Raise InputError if a segmenter is unknown or does not support the language."""
    if segmenter == SENTENCEPIECE:
        if language in UNSPACED:
            hint = "its words have no spaces between them: jieba, mecab or characters"
            raise InputError(f"the segmenter {segmenter} is not for {language!r}", hint=hint)
        return
    languages = SEGMENTERS.get(segmenter).languages
    if language not in languages:
        raise InputError(
            f"the segmenter {segmenter} is not for {language!r}", hint=f"for {', '.join(languages)}"
        )
    if language not in UNSPACED:
        hint = f"{SENTENCEPIECE}, or a tokeniser, divides it"
        raise InputError(f"{language!r} has no ideographs for the segmenter {segmenter}", hint=hint)


@dataclass(frozen=True)
class Tokenisation:
    """Settings of tokenisation for each language.

    Attributes:
        tokeniser: a name of `TOKENISERS`.
        segmenter: names of `SEGMENTERS` by language; characters for others.
        truecasers: files of `Truecaser` by language, for the casing `truecase`.
        pieces: files of `Pieces` by language; tokens of others are words.
    """

    tokeniser: str = "fast"
    segmenter: Mapping[str, str] = field(default_factory=dict)
    casing: Casing = "lower"
    truecasers: Mapping[str, str] = field(default_factory=dict)
    pieces: Mapping[str, str] = field(default_factory=dict)

    @property
    def text_models(self) -> list[str]:
        """The files of truecasers and pieces."""
        return [*self.truecasers.values(), *self.pieces.values()]

    def of(self, language: str) -> Tokeniser:
        """The tokeniser of a language, cached in each process because it is costly to create.

        Raises:
            InputError: as in `Tokeniser`.
        """
        return _cached_tokeniser(
            language,
            tokeniser=self.tokeniser,
            segmenter=self.segmenter.get(language, CHARACTERS),
            casing=self.casing,
            truecaser=self.truecasers.get(language) if self.casing == "truecase" else None,
            pieces=self.pieces.get(language),
        )


DEFAULT_TOKENISATION = Tokenisation()


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
    chunks = ordered_map(_tokenise_chunk, tasks, threads)
    shown = counted(chunks, "tokenise", unit="thousands of lines")
    return (line for chunk in shown for line in chunk)


def _tokenise_chunk(task: tuple[Tokenisation, str, list[str]]) -> list[str]:
    tokenisation, language, lines = task
    return list(map(tokenisation.of(language), lines))
