"""Filtering of phrase and reordering tables for given texts."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.fields import split_fields
from nlmt.io.files import read_lines, write_lines
from nlmt.phrases._phrases import LONGEST_PHRASE

SEPARATOR = " ||| "


def source_phrases(lines: Iterable[str]) -> set[str]:
    """Every sequence of up to LONGEST_PHRASE words in `lines`, words joined by one space."""
    phrases = set()
    for line in lines:
        words = split_fields(line)
        for begin in range(len(words)):
            for end in range(begin + 1, min(begin + LONGEST_PHRASE, len(words)) + 1):
                phrases.add(" ".join(words[begin:end]))
    return phrases


def filter_table(table: Path, phrases: AbstractSet[str], output: Path) -> None:
    """Write the lines of `table` whose source phrase is among `phrases`, in their order.

    Raises:
        InputError: a line without ` ||| `, or a damaged file.
    """
    write_lines(output, _usable(table, phrases))


def _usable(table: Path, phrases: AbstractSet[str]) -> Iterator[str]:
    for number, line in enumerate(read_lines(table), start=1):
        source, separator, _ = line.partition(SEPARATOR)
        if not separator:
            raise InputError("no ' ||| ' in a table's line", path=table, line=number)
        if source in phrases:
            yield line
