"""Kinds of numbers on the command line, for argparse's `type`."""

import argparse


def count(text: str) -> int:
    """A whole number, 0 or more."""
    return _at_least(0, text)


def positive(text: str) -> int:
    """A whole number, 1 or more."""
    return _at_least(1, text)


def _at_least(least: int, text: str) -> int:
    number = int(text)
    if number < least:
        raise argparse.ArgumentTypeError(f"{number} is less than {least}")
    return number
