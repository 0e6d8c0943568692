"""The sentences that changed most between two systems, on one page."""

import importlib.resources
from pathlib import Path

import jinja2

from nlmt.io.files import write_text
from nlmt.report.changes import Changes, word_changes


def write_side_by_side(path: Path | str, changes: Changes) -> None:
    """Write the page of two systems; the same input gives the same bytes."""
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string(
        importlib.resources.files("nlmt.report")
        .joinpath("side_by_side.html.jinja")
        .read_text("utf-8")
    )
    html = template.render(
        names=changes.names,
        sections={"Better": changes.better, "Worse": changes.worse},
        sentences=changes.sentences,
        different=changes.different,
        scores=changes.scores,
        word_changes=word_changes,
    )
    write_text(path, html)
