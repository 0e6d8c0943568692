"""A warning where a model knows few words of its input."""

import logging

log = logging.getLogger(__name__)

_MOST = 0.5  # share of unknown words beyond which the input is another one than the model's


class UnknownWords:
    """Counts the words of an input, and those without a translation."""

    def __init__(self) -> None:
        self._words = self._unknown = 0

    def add(self, words: int, unknown: int) -> None:
        """Count a sentence."""
        self._words += words
        self._unknown += unknown

    def warn(self, hint: str) -> None:
        """Log one warning, with what to do, if most words are unknown."""
        if self._unknown > _MOST * self._words:
            what = "%d of the %d words of the input have no translation: %s"
            log.warning(what, self._unknown, self._words, hint)
