"""Formatting of numbers on pages."""

import math

from nlmt.report.table import format_cell

_HUNDREDTHS = ("BLEU", "TER", "chrF", "(TER-BLEU)/2", "perplexity", "nats", "model score")


def number(value: float | None, unit: str, *, sign: bool = False) -> str:
    """A value with the digits that suit its unit; empty where there is none (NaN or None)."""
    if value is None or math.isnan(value):
        return ""
    plus = "+" if sign else ""
    if unit in _HUNDREDTHS:
        text = f"{value:{plus}.2f}"
    elif abs(value) >= 1000:
        text = f"{value:{plus},.0f}"
    else:
        text = f"{value:{plus}.3g}"
    return text.replace("-", "\N{MINUS SIGN}", 1) if text.startswith("-") else text


def deviation(stdev: float | None, value: float, unit: str) -> str:
    """A standard deviation, to the last digit of its value; empty where there is none."""
    if stdev is None or math.isnan(stdev):
        return ""
    decimals = len(number(value, unit).partition(".")[2])
    return f"{stdev:,.{decimals}f}"


def probability(p: float | None) -> str:
    """A p-value; empty where there is none."""
    return format_cell(p, "p_value")
