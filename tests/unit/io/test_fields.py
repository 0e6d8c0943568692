"""Fields of lines: blanks and tabs alone separate them, numbers are decimal."""

import pytest

from nlmt.io.fields import is_whole_number, parse_number, parse_whole, split_fields


def test_fields_are_parted_as_by_other_programs() -> None:
    assert split_fields(" a\t b\u00a0c\u2028 ") == ["a", "b\u00a0c\u2028"]


def test_numbers() -> None:
    for text in ("0", "-1.5", "+.5", "5.", "1e-3", "1.5E+2", "007"):
        assert parse_number(text) == float(text)


def test_no_numbers() -> None:
    texts = ("", ".", "0_5", "٣", "nan", "inf", "1e999", "0x1", " 1", "1e")
    for text in (*texts, "1" * 1_000_000 + "x"):  # at once, however many digits
        with pytest.raises(ValueError, match="is no number"):
            parse_number(text)


def test_whole_numbers() -> None:
    assert [parse_whole(text) for text in ("-1", "+2", "007", "6.", "6.00")] == [-1, 2, 7, 6, 6]
    for text in ("6.5", ".0", "6.0.0", "1_0", "٣", "", "9" * 19):
        with pytest.raises(ValueError, match=f"'{text}' is no whole number"):
            parse_whole(text)


def test_texts_of_digits() -> None:
    assert all(map(is_whole_number, ("0", "007", "9" * 18)))
    for text in ("", "-1", "+1", "1.5", " 1", "²", "٣", "9" * 19, "9" * 5000):
        assert not is_whole_number(text), text
    assert is_whole_number("99", 2)
    assert not is_whole_number("100", 2)
