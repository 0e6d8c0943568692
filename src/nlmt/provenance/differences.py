"""Differences in content between two files, by their format, ignoring times."""

import math
from collections.abc import Iterator, Set
from itertools import zip_longest
from pathlib import Path
from typing import Any

from nlmt.io.files import open_binary, read_lines
from nlmt.io.json_files import read_json_value

_BLOCK = 1 << 20
_SHOWN = 60
# Keys and columns of artefacts that are times, or follow from times.
_TIMED = frozenset(
    (
        *("seconds", "cpu_seconds", "decode_seconds", "tune_seconds", "seconds_a_sentence"),
        *("tokens_per_second", "requests_per_second"),
    )
)
# Further keys of the files of the rules that time something; elsewhere they may be anything.
_MEASUREMENTS = ("speed.json", "speed_again.json", "complexity.json")
_MEASURED = frozenset(("load", "busy", "Training", "Exact Decoding"))
_TEXT = (".gz", ".hyp", ".txt", ".ini", ".sha256", ".e2f", ".f2e", ".html", ".svg")


def difference(one: Path, other: Path) -> str:
    """The first difference of two files, and its size; empty if they are the same.

    JSON is compared by keys, tables by cells, text by lines, compressed or not, and anything else
    by bytes.
    """
    if _same_bytes(one, other):
        return ""
    if one.suffix == ".json":
        timed = _TIMED | _MEASURED if one.name in _MEASUREMENTS else _TIMED
        first, second = (dict(_flat(read_json_value(path), timed)) for path in (one, other))
        return _of_values(first, second)
    if one.suffix == ".tsv":
        return _of_tables(list(read_lines(one)), list(read_lines(other)))
    if one.suffix in _TEXT:
        return _of_lines(one, other)
    return _of_bytes(one, other)


def _flat(value: Any, timed: Set[str], name: str = "") -> Iterator[tuple[str, Any]]:
    """The values within a JSON value by their places (`scores.BLEU.runs.0`), without times."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key not in timed:
                yield from _flat(part, timed, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _flat(part, timed, f"{name}.{number}" if name else str(number))
    else:
        yield name, "null" if value is None else value  # None: there is no such key


def _same_bytes(one: Path, other: Path) -> bool:
    if one.stat().st_size != other.stat().st_size:
        return False
    with one.open("rb") as first, other.open("rb") as second:
        while block := first.read(_BLOCK):
            if block != second.read(_BLOCK):
                return False
    return True


def _of_values(first: dict[str, Any], second: dict[str, Any]) -> str:
    names = [name for name in first | second if first.get(name) != second.get(name)]
    if not names:
        return ""
    name = max(names, key=lambda name: _distance(first.get(name), second.get(name)))
    return f"{len(names)} values, most {name}: {_pair(first.get(name), second.get(name))}"


def _of_tables(one: list[str], other: list[str]) -> str:
    """Differences of two tables with a heading, cell by cell."""
    heading = one[0].split("\t") if one else []
    if not other or other[0].split("\t") != heading:
        return f"other columns: {_pair(one[:1], other[:1])}"
    found = []
    for number, rows in enumerate(zip_longest(one[1:], other[1:], fillvalue=""), start=2):
        cells = (row.split("\t") for row in rows)
        for name, first, second in zip_longest(heading, *cells, fillvalue=""):
            if first != second and name not in _TIMED:
                found.append((f"line {number}, {name}", first, second))
    if not found:
        return ""
    place, first, second = max(found, key=lambda cell: _distance(cell[1], cell[2]))
    return f"{len(found)} cells, most {place}: {_pair(first, second)}"


def _of_lines(one: Path, other: Path) -> str:
    count = total = 0
    shown = ""
    for number, (first, second) in enumerate(zip_longest(read_lines(one), read_lines(other)), 1):
        total = number
        if first != second:
            count += 1
            shown = shown or f"line {number}: {_pair(first, second)}"
    if not count:
        return "the same text, compressed in another way"
    return f"{count} of {total} lines, first {shown}"


def _of_bytes(one: Path, other: Path) -> str:
    sizes = [path.stat().st_size for path in (one, other)]
    with open_binary(one) as first, open_binary(other) as second:
        place = 0
        while (block := first.read(_BLOCK)) == (beside := second.read(_BLOCK)) and block:
            place += len(block)
        pairs = enumerate(zip_longest(block, beside))
        place += next((index for index, (left, right) in pairs if left != right), 0)
    size = f"{sizes[0]} bytes" if sizes[0] == sizes[1] else f"{sizes[0]} and {sizes[1]} bytes"
    return f"from byte {place}; {size}"


def _distance(one: Any, other: Any) -> float:
    """Relative distance of two numbers; infinite for anything else."""
    try:
        first, second = float(one), float(other)
    except (TypeError, ValueError):
        return math.inf
    return abs(first - second) / (max(abs(first), abs(second)) or 1.0)


def _pair(one: Any, other: Any) -> str:
    return f"{_shown(one)} | {_shown(other)}"


def _shown(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
