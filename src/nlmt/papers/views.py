"""Tables as the templates show them: which columns there are, and the rows by pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from nlmt.papers.overview import MEASURES, METRIC
from nlmt.papers.results import ALL_PAIRS, records

Rows = dict[str, dict[str, dict[str, Any]]]  # of `result_frame`, by name of the row and column


@dataclass(frozen=True)
class Column:
    """A column of a table: our value and, where the paper has one, the published value."""

    name: str
    unit: str
    has_published: bool
    has_difference: bool

    @property
    def shown_unit(self) -> str:
        """The unit, unless the name contains it."""
        return "" if self.unit.lower() in self.name.lower() else self.unit

    @property
    def width(self) -> int:
        """Number of the page's columns that it takes."""
        return 1 + self.has_published + self.has_difference


def columns_of(frame: pd.DataFrame) -> list[Column]:
    """The columns of a table, in their order in the frame."""
    columns = []
    for name, cells in frame.groupby("column", sort=False):
        measured = cells[cells["value"].notna()]
        units = measured["unit"] if len(measured) else cells["unit"]
        columns.append(
            Column(
                str(name),
                str(units.iloc[0]),
                bool(cells["published"].notna().any()),
                bool(cells["difference"].notna().any()),
            )
        )
    return columns


def rows_by_pair(frame: pd.DataFrame, pairs: Sequence[str]) -> dict[str, Rows]:
    """The rows of a table by pair, ours first."""
    found: dict[str, Rows] = {pair: {} for pair in (*pairs, ALL_PAIRS, *frame["pair"])}
    for cell in records(frame):
        found[cell["pair"]].setdefault(cell["row"], {})[cell["column"]] = cell
    return {pair: rows for pair, rows in found.items() if rows}


def overview_views(overview: pd.DataFrame) -> list[dict[str, Any]]:
    """The table over all papers, by pair and task; columns without any number are left out.

    Args:
        overview: of `nlmt.papers.overview.make_overview`.

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
