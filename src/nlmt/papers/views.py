"""Views of tables for templates: cells as text, in the order of rows, columns and pairs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from nlmt.papers.numbers import deviation, number, probability
from nlmt.papers.overview import MEASURES, METRIC
from nlmt.papers.results import ALL_PAIRS, NOT_RUN, records


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


@dataclass(frozen=True)
class CellView:
    """The texts of one cell, empty where there is nothing to show."""

    column: Column
    ours: str = ""
    spread: str = ""
    p: str = ""
    note: str = ""
    published: str = ""
    difference: str = ""


@dataclass(frozen=True)
class RowView:
    """One row of a table."""

    name: str
    cells: list[CellView]


@dataclass(frozen=True)
class Group:
    """The rows of one language pair.

    Attributes:
        ours: whether it is a pair of this experiment.
    """

    pair: str
    ours: bool
    rows: list[RowView]


@dataclass(frozen=True)
class TableView:
    """A table of a page.

    Attributes:
        name: of its file.
        title: heading.
        note: what a reader must know.
        columns: for tables of `result_frame`.
        groups: rows of such tables by pair.
        headings: of other frames, which are shown unchanged.
        frame: values of other frames as text; None for tables of `result_frame`.
        figure: an `<svg>` element; empty: none.
        target: Snakemake's target.
        files: addresses of its files, relative to the page.
        parts: the systems and models that it shows.
        facts: of its making: seeds, signatures, machines, run time, versions.
        configuration: of these systems and models, as YAML.
    """

    name: str
    title: str
    note: str
    columns: list[Column] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    frame: list[list[str]] | None = None
    figure: str = ""
    target: str = ""
    files: list[str] = field(default_factory=list)
    parts: str = ""
    facts: Sequence[str] = ()
    configuration: str = ""
    corner: str = ""

    @property
    def width(self) -> int:
        """Number of the page's columns, including the rows' names."""
        return 1 + sum(column.width for column in self.columns)


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


def groups_of(frame: pd.DataFrame, columns: Sequence[Column], pairs: Sequence[str]) -> list[Group]:
    """The rows of a table by pair, ours first."""
    cells = {(row["pair"], row["row"], row["column"]): row for row in records(frame)}
    pairs = [*pairs, ALL_PAIRS]
    order = [*pairs, *(pair for pair in dict.fromkeys(frame["pair"]) if pair not in pairs)]
    groups = []
    for pair in order:
        names = dict.fromkeys(frame[frame["pair"] == pair]["row"])
        rows = [
            RowView(
                name,
                [cell_view(column, cells.get((pair, name, column.name))) for column in columns],
            )
            for name in names
        ]
        if rows:
            groups.append(Group(pair, pair in pairs, rows))
    return groups


def cell_view(column: Column, row: Mapping[str, Any] | None) -> CellView:
    """The texts of a cell; None if neither our table nor the paper has it."""
    if row is None:
        return CellView(column)
    unit = row["unit"]
    missing = math.isnan(row["value"])
    published = number(row["published"], row["published_unit"])
    if published and row["published_unit"] != column.unit:
        published = f"{published} {row['published_unit']}"
    return CellView(
        column,
        NOT_RUN if missing else number(row["value"], unit),
        deviation(row["stdev"], row["value"], unit),
        probability(row["p"]),
        "" if missing else row["note"],
        published,
        number(row["difference"], unit, sign=True),
    )


@dataclass(frozen=True)
class OverviewRow:
    """A system of the table over all papers."""

    system: str
    label: str
    papers: list[str]
    values: list[str]


@dataclass(frozen=True)
class OverviewView:
    """All systems of a language pair and task, the best first."""

    heading: str  # the pair, and the task where there are several
    headings: list[str]
    rows: list[OverviewRow]


def overview_views(overview: pd.DataFrame) -> list[OverviewView]:
    """The table over all papers, by pair and task; columns without any number are left out.

    Args:
        overview: of `nlmt.papers.overview.make_overview`.
    """
    views = []
    one_task = overview["task"].nunique() == 1
    for (pair, task), frame in overview.groupby(["pair", "task"], sort=False):
        scores = [column for column in frame if str(column).startswith(f"{METRIC} ")]
        wanted = [*scores, *MEASURES]
        columns = [str(column) for column in wanted if frame[column].notna().any()]
        units = {**dict.fromkeys(columns, METRIC), **{k: unit for k, (_, unit) in MEASURES.items()}}
        rows = [
            OverviewRow(
                row["system"],
                row["label"],
                row["papers"].split(),
                [number(row[column], units[column]) for column in columns],
            )
            for row in records(frame.sort_values(columns[0], ascending=False, kind="stable"))
        ]
        headings = [MEASURES[column][0] if column in MEASURES else column for column in columns]
        heading = str(pair) if one_task else f"{pair}, {task}"
        views.append(OverviewView(heading, headings, rows))
    return views
