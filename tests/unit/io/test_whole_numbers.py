"""Whole numbers of others: what `int` and 64 bits can take, and nothing else."""

import pytest

from nlmt.io.whole_numbers import is_whole_number


@pytest.mark.parametrize("text", ["0", "007", "9" * 18])
def test_whole_numbers(text: str) -> None:
    assert is_whole_number(text)


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.5", " 1", "²", "٣", "9" * 19, "9" * 5000])
def test_no_whole_numbers(text: str) -> None:
    assert not is_whole_number(text)


def test_a_lower_limit() -> None:
    assert is_whole_number("99", 2)
    assert not is_whole_number("100", 2)
