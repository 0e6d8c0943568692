"""The report of one language pair: one page that needs nothing beside it, TSV and JSON."""

import csv
import importlib.resources
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from nlmt.io.files import write_text
from nlmt.report.figures import results_figures
from nlmt.report.table import COLUMNS, format_cell, result_rows

FIELDS = ["system", "label", "mean", "stdev", "difference", "p_value", "runs", "seeds"]
FIELDS += ["signature", "source"]


@dataclass(frozen=True)
class Report:
    """What a report shows.

    Attributes:
        title: heading of the page.
        scores: contents of each `eval/<system>.json`, with its path as `source`.
        perplexities: name of a language model to the contents of its `perplexity.json`, with
            its path as `source`.
        curves: name of a neural model to (passes over the text, dev perplexity after each).
    """

    title: str
    scores: Sequence[Mapping[str, Any]]
    perplexities: Mapping[str, Mapping[str, Any]]
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]]


def write_report(report: Report, page: Path, tsv: Path, json_path: Path) -> list[dict[str, Any]]:
    """Write the page and the same results as TSV and JSON; return the rows of the table."""
    rows = result_rows(report.scores)
    levels = {
        f"{name}, without OOV": perplexity["dev"]["perplexity_without_oov"]
        for name, perplexity in report.perplexities.items()
        if name not in report.curves
    }
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string(
        importlib.resources.files("nlmt.report").joinpath("page.html.jinja").read_text("utf-8")
    )
    html = template.render(
        title=report.title,
        rows=rows,
        columns=COLUMNS,
        cell=format_cell,
        figures=results_figures(rows, report.curves, levels),
        perplexities=report.perplexities,
        signatures=sorted({row["signature"] for row in rows}),
    )
    write_text(page, html)
    write_text(tsv, _as_tsv(rows))
    content = {"title": report.title, "systems": rows, "perplexities": report.perplexities}
    write_text(json_path, json.dumps(content, indent=2) + "\n")
    return rows


def _as_tsv(rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, delimiter="\t", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        lists = {key: " ".join(map(str, row[key])) for key in ("runs", "seeds")}
        writer.writerow(dict(row) | lists)
    return text.getvalue()
