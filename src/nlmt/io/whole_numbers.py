"""Whole numbers in files and answers of others."""


def is_whole_number(text: str, digits: int = 18) -> bool:
    """Whether a text has ASCII digits alone, and few enough for 64 bits or a lower limit.

    `str.isdigit` lets signs such as a superscript two pass, which `int` refuses, as it does more
    than 4,300 digits.
    """
    return text.isascii() and text.isdigit() and len(text) <= digits
