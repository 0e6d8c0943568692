"""The tables of one paper, as TSV and as a page that needs nothing beside it."""

import csv
import importlib.resources
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from nlmt.io.files import write_text
from nlmt.report.table import NOT_RUN, format_cell


@dataclass(frozen=True)
class PaperTable:
    """A table of a paper, made anew.

    Attributes:
        title: what it shows, and which table of the paper it is.
        columns: key of each column to its heading.
        rows: values by key; what is missing was not run, None is an empty cell.
        note: what a reader has to know to compare it.
    """

    title: str
    columns: Mapping[str, str]
    rows: Sequence[Mapping[str, Any]]
    note: str = ""


def write_tsv(path: Path, table: PaperTable) -> None:
    """Write a table with the keys of its columns as heading and numbers in full."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        values = [row.get(column, NOT_RUN) for column in table.columns]
        writer.writerow(" ".join(map(str, v)) if isinstance(v, list) else v for v in values)
    write_text(path, text.getvalue())


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
        title=title, about=about, tables=tables, figures=figures, cell=format_cell
    )
    write_text(path, html)


def write_tables(
    page: Path, title: str, about: str, tables: Mapping[Path | str, PaperTable]
) -> None:
    """Write each table into its TSV file, and all of them on one page."""
    for path, table in tables.items():
        write_tsv(Path(path), table)
    write_page(page, title, about, list(tables.values()))
