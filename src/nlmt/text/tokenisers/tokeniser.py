"""The interface of tokenisers."""

from abc import ABC, abstractmethod


class WordTokeniser(ABC):
    """Converts running text of one language to tokens."""

    @abstractmethod
    def __init__(self, language: str) -> None:
        """Prepare for `language`, an ISO 639-1 code."""

    @abstractmethod
    def __call__(self, text: str) -> str:
        """The tokens, separated by spaces, of one line without control characters."""
