"""Segmenters by name, which put spaces between words in languages written without them."""

import importlib
from abc import ABC, abstractmethod
from types import ModuleType
from typing import ClassVar

from typing_extensions import override

from nlmt.errors import InputError
from nlmt.registry import Registry

INSTALL = "make setup, or: pip install nlmt[segmenters]"
CHARACTERS = "characters"


class Segmenter(ABC):
    """Segments runs of ideographs and kana, and is given no other text.

    Attributes:
        languages: ISO 639-1 codes of the languages that it can segment.
    """

    languages: ClassVar[tuple[str, ...]]

    @abstractmethod
    def __init__(self, language: str) -> None:
        """Prepare for one of `languages`.

        Raises:
            InputError: a library that it needs is not installed.
        """

    @abstractmethod
    def __call__(self, text: str) -> list[str]:
        """The words of a text without spaces; joined, they are the text."""


class Characters(Segmenter):
    """Makes each character a word: needs no library, and yields few unknown words."""

    languages: ClassVar[tuple[str, ...]] = ("zh", "ja")

    @override
    def __init__(self, language: str) -> None:
        pass

    @override
    def __call__(self, text: str) -> list[str]:
        return list(text)


class Jieba(Segmenter):
    """Segments Chinese by jieba's dictionary and a hidden Markov model for unknown words.

    rjieba is jieba-rs, the maintained compiled form of jieba; its dictionary is in the wheel.
    """

    languages: ClassVar[tuple[str, ...]] = ("zh",)

    @override
    def __init__(self, language: str) -> None:
        self._jieba = import_optional("rjieba", "the segmenter jieba").Jieba()

    @override
    def __call__(self, text: str) -> list[str]:
        words: list[str] = self._jieba.cut(text)
        return words


class Mecab(Segmenter):
    """Segments Japanese by MeCab with its dictionary IPADIC, as in sacreBLEU's `ja-mecab`."""

    languages: ClassVar[tuple[str, ...]] = ("ja",)

    @override
    def __init__(self, language: str) -> None:
        mecab = import_optional("MeCab", "the segmenter mecab")
        dictionary = import_optional("ipadic", "the segmenter mecab")
        self._tagger = mecab.Tagger(f"{dictionary.MECAB_ARGS} -Owakati")

    @override
    def __call__(self, text: str) -> list[str]:
        words: str = self._tagger.parse(text)
        return words.split()


SEGMENTERS: Registry[type[Segmenter]] = Registry(
    "segmenter", {CHARACTERS: Characters, "jieba": Jieba, "mecab": Mecab}
)


def import_optional(module: str, what: str, install: str = INSTALL) -> ModuleType:
    """Import an optional library.

    Raises:
        InputError: it is not installed; the hint says how to install it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(f"{what} needs {module}, which is not installed", hint=install) from error
