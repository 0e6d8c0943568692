"""The report of one language pair: one page that needs nothing beside it, TSV and JSON."""

import csv
import importlib.resources
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2

from nlmt.io.files import write_text
from nlmt.report.figures import results_figures
from nlmt.report.table import (
    COLUMNS,
    METRIC_COLUMNS,
    NUMERIC,
    format_cell,
    metric_rows,
    result_rows,
)

FIELDS = [*COLUMNS, "seeds", "signature", "source"]


@dataclass(frozen=True)
class Report:
    """What a report shows.

    Attributes:
        title: heading of the page.
        scores: contents of each `eval/<system>.json`, with its path as `source`.
        perplexities: name of a language model to the contents of its `perplexity.json`, with
            its path as `source`.
        curves: name of a neural model to (epochs over the text, dev perplexity after each).
        side_by_side: name of a system to the address of its page, as seen from the report.
    """

    title: str
    scores: Sequence[Mapping[str, Any]]
    perplexities: Mapping[str, Mapping[str, Any]]
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    side_by_side: Mapping[str, str] = field(default_factory=dict)


def write_report(report: Report, page: Path, tsv: Path, json_path: Path) -> list[dict[str, Any]]:
    """Write the page and the same results as TSV and JSON; return the rows of the table."""
    rows = result_rows(report.scores)
    metrics = metric_rows(report.scores)
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
        numeric=NUMERIC,
        metrics=metrics,
        metric_columns=METRIC_COLUMNS,
        signatures={row["metric"]: row["signature"] for row in metrics},
        cell=format_cell,
        figures=results_figures(rows, report.curves, levels),
        perplexities=report.perplexities,
        side_by_side=report.side_by_side,
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
