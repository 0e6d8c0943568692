"""The tables of one paper, as TSV and as a self-contained page."""

import importlib.resources
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2
import pandas as pd

from nlmt.io.files import write_text
from nlmt.report.table import NOT_RUN, format_cell, records, write_tsv


@dataclass(frozen=True)
class PaperTable:
    """A reproduced table of a paper.

    Attributes:
        title: what it shows, and which table of the paper it is.
        columns: key of each column to its heading.
        frame: the rows; a column that it lacks was not run, NaN is an empty cell.
        note: what a reader has to know to compare it.
    """

    title: str
    columns: Mapping[str, str]
    frame: pd.DataFrame
    note: str = ""


def write_page(
    path: Path,
    title: str,
    about: str,
    tables: Sequence[PaperTable],
    figures: Sequence[tuple[str, str]] = (),
) -> None:
    """Write tables, and figures (`<svg>` and its note), on one page, below what it is about."""
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string(
        importlib.resources.files("nlmt.report").joinpath("paper.html.jinja").read_text("utf-8")
    )
    html = template.render(
        title=title,
        about=about,
        tables=tables,
        figures=figures,
        cell=format_cell,
        records=records,
        not_run=NOT_RUN,
    )
    write_text(path, html)


def write_tables(
    page: Path, title: str, about: str, tables: Mapping[Path | str, PaperTable]
) -> None:
    """Write each table into its TSV file, and all of them on one page."""
    for path, table in tables.items():
        columns = list(table.columns)
        write_tsv(path, table.frame.reindex(columns=columns, fill_value=NOT_RUN))
    write_page(page, title, about, list(tables.values()))
