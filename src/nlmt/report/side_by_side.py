"""The sentences that changed most between two systems, on one page."""

from pathlib import Path

from nlmt.io.files import write_text
from nlmt.report.changes import Changes
from nlmt.report.html import render


def write_side_by_side(path: Path | str, changes: Changes) -> None:
    """Write the page of two systems; the same input gives the same bytes."""
    title = f"{changes.names[1]} beside {changes.names[0]}"
    values = {"title": title, "changes": changes, "warnings": ()}
    write_text(path, render("side_by_side.html.jinja", values))
