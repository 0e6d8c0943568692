"""Fields of the lines of other programs' files: their separation, and their numbers."""

import math
import re

_NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
_WHOLE = re.compile(r"([-+]?[0-9]{1,18})(?:\.0*)?")  # within 64 bits


def split_fields(text: str) -> list[str]:
    """The fields, or words, between spaces and tabs; they may contain Unicode's other spaces."""
    return [field for field in text.replace("\t", " ").split(" ") if field]


def parse_number(text: str) -> float:
    """The finite number of a field.

    Raises:
        ValueError: it is none; `float` would take `1_000` and digits of other scripts, too.
    """
    if not _NUMBER.fullmatch(text) or not math.isfinite(value := float(text)):
        raise ValueError(f"'{text}' is no number")
    return value


def parse_whole(text: str) -> int:
    """The whole number of a field; `6.0` is one, too, as for Moses.

    Raises:
        ValueError: it is none, or has more than 18 digits before its point.
    """
    match = _WHOLE.fullmatch(text)
    if match is None:
        raise ValueError(f"'{text}' is no whole number")
    return int(match[1])


def is_whole_number(text: str, digits: int = 18) -> bool:
    """Whether a text has ASCII digits alone, and few enough for 64 bits or a lower limit.

    `str.isdigit` lets signs such as a superscript two pass, which `int` refuses, as it does more
    than 4,300 digits.
    """
    return text.isascii() and text.isdigit() and len(text) <= digits
