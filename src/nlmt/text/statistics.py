"""Sizes of prepared texts: sentences, tokens and distinct words, counted in one pass."""

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.fields import is_whole_number
from nlmt.io.files import read_lines, write_lines
from nlmt.io.json_files import keys_of
from nlmt.vocabulary import UNKNOWN


@dataclass(frozen=True)
class TextSize:
    """Size of a text: lines, running words with <unk>, and distinct words without it."""

    sentences: int
    tokens: int
    words: int


COLUMNS = ("text", "language", *(field.name for field in fields(TextSize)))


def count_text(lines: Iterable[str]) -> TextSize:
    """Count a tokenised text, one sentence per line; only its distinct words are in memory."""
    sentences = tokens = 0
    words: set[str] = set()
    for line in lines:
        found = line.split()
        sentences += 1
        tokens += len(found)
        words.update(found)
    return TextSize(sentences, tokens, len(words - {UNKNOWN}))


def write_sizes(output: Path | str, texts: Iterable[tuple[str, str, Path | str]]) -> None:
    """Count texts, given by name, language and path, and write a table of them (`COLUMNS`)."""
    rows = ((name, language, count_text(read_lines(path))) for name, language, path in texts)
    lines = ("\t".join(map(str, (name, code, *astuple(size)))) for name, code, size in rows)
    write_lines(output, ["\t".join(COLUMNS), *lines])


def read_sizes(path: Path | str) -> dict[tuple[str, str], TextSize]:
    """The table that `write_sizes` wrote, by text and language."""
    found: dict[tuple[str, str], TextSize] = {}
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if number == 1 and tuple(cells) == COLUMNS:
            continue
        if number == 1 or len(cells) != len(COLUMNS) or not all(map(is_whole_number, cells[2:])):
            what = f"the columns {', '.join(COLUMNS)} are expected"
            raise InputError(what, path=path, line=number, hint="remove the file and run again")
        found[cells[0], cells[1]] = TextSize(*map(int, cells[2:]))
    return found


def read_size(path: Path | str, text: str, language: str) -> TextSize:
    """The size of one text of the table that `write_sizes` wrote.

    Raises:
        InputError: as in `read_sizes`; the table lacks the text.
    """
    with keys_of(path):
        return read_sizes(path)[text, language]


def join_sizes(output: Path | str, tables: Mapping[str, Path | str]) -> None:
    """Join the tables of several language pairs into one, with the pair as first column.

    Raises:
        InputError: as in `read_sizes`.
    """
    lines = ["\t".join(("pair", *COLUMNS))]
    for pair, path in tables.items():
        for (name, language), size in read_sizes(path).items():
            lines.append("\t".join(map(str, (pair, name, language, *astuple(size)))))
    write_lines(output, lines)
