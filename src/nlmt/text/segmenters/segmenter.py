"""The interface of segmenters."""

import importlib
from abc import ABC, abstractmethod
from types import ModuleType
from typing import ClassVar

from nlmt.errors import InputError

INSTALL = "make setup, or: pip install nlmt[segmenters]"


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


def import_optional(module: str, what: str, install: str = INSTALL) -> ModuleType:
    """Import an optional library.

    Raises:
        InputError: it is not installed; the hint says how to install it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(f"{what} needs {module}, which is not installed", hint=install) from error
