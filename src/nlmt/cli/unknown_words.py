"""A warning where a model knows few words of its input."""

import logging

log = logging.getLogger(__name__)

_MOST = 0.5  # share of unknown words beyond which the input is another one than the model's


def warn_of_unknown_words(unknown: int, words: int, hint: str) -> None:
    """Log a warning, with what to do, if most words of an input have no translation."""
    if unknown > _MOST * words:
        what = "%d of the %d words of the input have no translation: %s"
        log.warning(what, unknown, words, hint)
