"""Spelling of tuples as words of a text, so that every language model can be trained on them.

A tuple is the source words, joined by `_`, then `=` and the target words: `la_maison=the_house`.
These two characters, and `%`, within a word are written as `%` and their code: `a_b` is `a%5Fb`.
"""

from urllib.parse import unquote

_CODES = str.maketrans({character: f"%{ord(character):02X}" for character in "%_="})


def escape(word: str) -> str:
    """A word as it is written within a tuple."""
    return word.translate(_CODES)


def split_token(token: str) -> tuple[list[str], list[str]]:
    """Source and target words of a tuple; either may be none.

    Raises:
        ValueError: it is not a tuple, `<unk>` for example.
    """
    sides = token.split("=")
    if len(sides) != 2:
        raise ValueError(f"{token!r} is not a tuple")
    source, target = ([unquote(word) for word in side.split("_") if word] for side in sides)
    return source, target
