"""Tuples as words of a text, so that every language model can be trained on them.

The source words, joined by `_`, then `=` and the target words: `la_maison=the_house`. Where a word
has one of the two characters in it, or a `%`, it is written as `%` and its code: `a_b` is `a%5Fb`.
"""

from collections.abc import Iterable
from urllib.parse import unquote

_CODES = str.maketrans({character: f"%{ord(character):02X}" for character in "%_="})


def escape(word: str) -> str:
    """A word in the spelling of tuples."""
    return word.translate(_CODES)


def tuple_token(source: Iterable[str], target: Iterable[str]) -> str:
    """The tuple as one word of a text; one of its sides may be empty."""
    return f"{'_'.join(map(escape, source))}={'_'.join(map(escape, target))}"


def split_token(token: str) -> tuple[list[str], list[str]]:
    """Source and target words of what `tuple_token` made.

    Raises:
        ValueError: it is no tuple, `<unk>` for example.
    """
    sides = token.split("=")
    if len(sides) != 2:
        raise ValueError(f"{token!r} is no tuple")
    source, target = ([unquote(word) for word in side.split("_") if word] for side in sides)
    return source, target
