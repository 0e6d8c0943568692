"""Tables as the templates show them: which columns there are, and the rows by pair."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from nlmt.papers.overview import MEASURES, METRIC
from nlmt.papers.results import ALL_PAIRS, differences, records

Rows = dict[str, dict[str, dict[str, Any]]]  # of `result_frame`, by name of the row and column


@dataclass(frozen=True)
class Column:
    """A column of a table: our value, its gain over another system, and the published value."""

    name: str
    unit: str
    has_gain: bool
    has_published: bool

    @property
    def shown_unit(self) -> str:
        """The unit, unless the name contains it."""
        return "" if self.unit.lower() in self.name.lower() else self.unit

    @property
    def gain(self) -> str:
        """The heading of differences, which are gains where more is better."""
        return "gain" if self.unit in ("BLEU", "chrF") else "change"

    @property
    def width(self) -> int:
        """Number of the page's columns that it takes."""
        return 1 + 2 * self.has_gain + self.has_published


@dataclass(frozen=True)
class TablePart:
    """A table, or the part of it with one way of training."""

    training: str
    columns: list[Column]
    rows: dict[str, Rows]


def table_parts(
    frame: pd.DataFrame, pairs: Sequence[str], trainings: Mapping[str, str]
) -> list[TablePart]:
    """A table as the page shows it: one part a training where it has several.

    Rows that no training matters for are in all parts.
    """
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in trainings}
    base = next(name for name, ending in trainings.items() if not ending)
    rows = records(frame)
    for row in rows:
        name, ending = next(
            (one for one in trainings.items() if one[1] and row["column"].endswith(one[1])),
            (base, ""),
        )
        found[name].append({**row, "column": row["column"].removesuffix(ending)})
    for name, own in found.items():
        known, columns = {row["row"] for row in own}, {row["column"] for row in own}
        if own and name != base:
            own += [r for r in found[base] if r["row"] not in known and r["column"] in columns]
    several = sum(map(bool, found.values())) > 1
    return [
        TablePart(name if several else "", columns_of(own), _rows_by_pair(own, pairs))
        for name, own in found.items()
        if own
    ]


def columns_of(rows: Sequence[Mapping[str, Any]]) -> list[Column]:
    """The columns of a table, in their order in the frame, but BLEU first."""
    columns = []
    units = {row["column"]: row["unit"] for row in reversed(rows)}
    names = dict.fromkeys(row["column"] for row in rows)
    for name in sorted(names, key=lambda name: units[name] != "BLEU"):
        cells = [row for row in rows if row["column"] == name]
        measured = [cell for cell in cells if not math.isnan(cell["value"])]
        columns.append(
            Column(
                name,
                (measured or cells)[0]["unit"],
                any(cell["against"] for cell in measured),
                any(not math.isnan(cell["published"]) for cell in cells),
            )
        )
    return columns


def _rows_by_pair(rows: Sequence[Mapping[str, Any]], pairs: Sequence[str]) -> dict[str, Rows]:
    """The rows of a table by pair, ours first; each cell with its gain, if there is any."""
    found: dict[str, Rows] = {}
    for pair in (*pairs, ALL_PAIRS, *(row["pair"] for row in rows)):
        found.setdefault(pair, {})
    for cell in rows:
        shown = {**cell, "gain": differences(cell).get(cell["against"])}
        found[cell["pair"]].setdefault(cell["row"], {})[cell["column"]] = shown
    return {pair: own for pair, own in found.items() if own}


def overview_views(overview: pd.DataFrame) -> list[dict[str, Any]]:
    """The table over all papers, by pair and task; columns without any number are left out.

    Returns:
        Of each pair and task, `heading` (the pair, and the task where there are several),
        `columns` (heading and unit by name) and `rows` (the best system first).
    """
    views = []
    one_task = overview["task"].nunique() == 1
    for (pair, task), frame in overview.groupby(["pair", "task"], sort=False):
        scores = [str(column) for column in frame if str(column).startswith(f"{METRIC} ")]
        known = {column: (column, METRIC) for column in scores} | MEASURES
        columns = {key: known[key] for key in known if frame[key].notna().any()}
        best_first = frame.sort_values(next(iter(columns)), ascending=False, kind="stable")
        heading = str(pair) if one_task else f"{pair}, {task}"
        views.append({"heading": heading, "columns": columns, "rows": records(best_first)})
    return views
