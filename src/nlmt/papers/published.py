"""Published values of the papers' tables and figures, and their places beside ours.

The files are `<folder>/<paper>/table4.tsv`, `figure2.tsv` and so on; `text.tsv` has results that
only the text of the paper states. Each line is one value.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.papers.results import ALL_PAIRS, records, result_frame

COLUMNS = ("table", "row", "column", "unit", "value", "where", "note")
UNITS = frozenset(
    {"BLEU", "TER", "(TER-BLEU)/2", "perplexity", "nats", "cosine similarity", "rank correlation"}
    | {"model score", "seconds a sentence", "tokens a second", "requests a second", "hours", "days"}
    | {"sentences", "tokens", "words"}  # tokens run, words are those of a vocabulary
    | {"exponent of V", "weight", "MB", "GB", "%", "times"}
)
LEVELS = " / "  # joins the levels of a row or column
_KINDS = ("table", "figure", "text")  # in the order of the frame
_FILE = re.compile(r"(table|figure)([1-9]\d*)|(text)")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_PAIR = re.compile(r"[A-Za-z]{2,3}-[A-Za-z]{2,3}")


def in_unit(value: float, unit: str, wanted: str) -> float | None:
    """A value converted to another unit; None where that is impossible."""
    if unit == wanted:
        return value
    return 1000.0 * value if (unit, wanted) == ("GB", "MB") else None


def our_cell(row: str, column: str, unit: str, pair: str) -> tuple[str, str, str]:
    """Pair, row and column of a published cell, as our tables have them.

    A paper may have pairs as rows, as columns or as levels of either; our tables have a separate
    column for them. A row left without a name takes the column's name, a column the unit's: row
    `Class Factored`, column `fr-en` is row `Class Factored`, column `BLEU` of fr-en. A column named
    like the unit stays a column: row `fr-en`, column `tokens` is row `fr-en` of fr-en.

    `pair` is that of the table, where the cell names none.
    """
    rows, columns = row.split(LEVELS), column.split(LEVELS)
    named = [level for level in (*rows, *columns) if _PAIR.fullmatch(level)]
    rows = [level for level in rows if level not in named[:1]]
    columns = [level for level in columns if level not in named[:1]]
    pair = named[0].lower() if named else pair
    if not rows:
        rows, columns = ([pair], columns) if columns == [unit] else (columns, [])
    return pair, LEVELS.join(rows), LEVELS.join(columns) or unit


def with_published(ours: pd.DataFrame, published: pd.DataFrame, pair: str) -> pd.DataFrame:
    """Put the published value and the difference beside each of our values.

    Published cells that ours lack follow as cells that were not run. A value of no pair is put
    beside the cell of each pair.

    Args:
        ours: of `result_frame`.
        published: those of `read_published` that belong to the table.
        pair: of the paper's table, where its cells name none; `ALL_PAIRS`: they have none.

    Returns:
        A frame of `result_frame`, without differences between values of incompatible units.
    """
    rows = records(ours)
    place = {(row["pair"], row["row"], row["column"]): row for row in rows}
    texts = published[["row", "column", "unit", "note"]].itertuples(index=False)
    for (row, column, unit, note), value in zip(texts, published["value"], strict=True):
        cell = our_cell(row, column, unit, pair)
        found = [place[cell]] if cell in place else []
        if cell[0] == ALL_PAIRS:
            found = [ours_here for name, ours_here in place.items() if name[1:] == cell[1:]]
        if not found:
            names = dict(zip(("pair", "row", "column"), cell, strict=True))
            place[cell] = {**names, "unit": unit, "value": math.nan, "note": note}
            rows.append(place[cell])
            found = [place[cell]]
        for ours_here in found:
            ours_here |= {"published": value, "published_unit": unit}
            same = in_unit(value, unit, ours_here["unit"])
            if same is not None:
                ours_here["difference"] = ours_here["value"] - same
    return result_frame(rows)


def read_published(folder: Path, paper: str) -> pd.DataFrame:
    """All published values of a paper.

    Returns:
        One row per value, in the order of the files: tables, figures, text. The columns are those
        of `COLUMNS`; `value` is a float, NaN where the value is missing, all others are strings.
        `row` and `column` join several levels by `LEVELS`. `note` says why a value is missing or
        how it was read; usually it is empty.

    Raises:
        InputError: the paper has no files, or a file is damaged; names file and line.
    """
    place = folder / paper
    paths = sorted(place.glob("*.tsv"), key=_order)
    if not paths:
        raise InputError("no published values (no TSV file in this folder)", path=place)
    return pd.concat([read_published_table(path) for path in paths], ignore_index=True)


def read_published_table(path: Path) -> pd.DataFrame:
    """The rows of `read_published` that are of one table or figure."""
    frame = pd.DataFrame.from_records(list(_records(path)), columns=list(COLUMNS))
    frame["value"] = frame["value"].astype(float)
    return frame


def _order(path: Path) -> tuple[int, int]:
    """Sort key that puts table2 before table10."""
    match = _FILE.fullmatch(path.stem)
    if match is None:
        raise InputError("not named like table4.tsv, figure2.tsv or text.tsv", path=path)
    kind, number, text = match.groups()
    return _KINDS.index(kind or text), int(number or 0)


def _records(path: Path) -> Iterator[tuple[str | float, ...]]:
    """The checked lines of one file, in the order of `COLUMNS`."""
    lines = read_lines(path)
    if tuple(next(lines, "").split("\t")) != COLUMNS:
        raise InputError(f"the columns must be {', '.join(COLUMNS)}", path=path, line=1)
    first: dict[tuple[str, str], int] = {}
    for line, text in enumerate(lines, 2):
        cells = text.split("\t")
        fault = _fault(cells, path.stem)
        if fault:
            raise InputError(fault, path=path, line=line)
        table, row, column, unit, value, where, note = cells
        if (row, column) in first:
            what = f"row {row!r}, column {column!r} was given in line {first[row, column]}"
            raise InputError(what, path=path, line=line)
        first[row, column] = line
        yield table, row, column, unit, float(value) if value else math.nan, where, note
    if not first:
        raise InputError("no values", path=path, line=1)


def _fault(cells: list[str], table: str) -> str:
    """A line's fault; empty if there is none."""
    if len(cells) != len(COLUMNS):
        return f"{len(cells)} cells, not {len(COLUMNS)}"
    cell = dict(zip(COLUMNS, cells, strict=True))
    for name, text in cell.items():
        if text != " ".join(text.split()):
            return f"{name}: white space around or repeated in {text!r}"
        if not text and name not in ("value", "note"):
            return f"{name}: empty"
    if cell["table"] != table:
        return f"table: {cell['table']!r} in the file of {table}"
    for name in ("row", "column"):
        if any(not level or "/" in level for level in cell[name].split(LEVELS)):
            return f"{name}: {cell[name]!r}: levels are joined by {LEVELS!r}, and none is empty"
    if cell["unit"] not in UNITS:
        return f"unit: {cell['unit']!r} is not allowed (allowed: {', '.join(sorted(UNITS))})"
    if not cell["value"] and not cell["note"]:
        return "value: empty, and the note does not say why"
    if cell["value"] and not _NUMBER.fullmatch(cell["value"]):
        return f"value: {cell['value']!r} is not a decimal number"
    return ""
