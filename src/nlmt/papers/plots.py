"""Figures for the pages in a uniform style, for light and dark background."""

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

import pandas as pd

from nlmt.io.files import atomic_path, write_text
from nlmt.papers.paper import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# From Okabe and Ito's palette, which colour-blind readers can tell apart.
BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
GREY = "#8a8f98"
_INK = "#000000"


def style_axes(axes: Any) -> None:
    """Remove the frame at the top and right, and add a light grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=GREY, alpha=0.3, lw=0.6)


def as_svg(figure: "Figure", name: str, title: str) -> str:
    """A figure as an `<svg>` element whose ink has the colour of the surrounding text.

    Equal numbers give equal bytes.

    Args:
        figure: can be drawn only once.
        name: distinguishes its inner names from those of other figures on the page.
        title: for readers who cannot see it.
    """
    import matplotlib as mpl  # late, as in `_drawn`

    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :].replace(_INK, "currentColor")
    # The size on the page follows the text; letters have no colour of their own.
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<text style="[^"]*?);? *fill: #[0-9a-f]{6}', r"\1", text)
    # Nothing refers to the names of groups, which recur in all figures.
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    attributes = f'fill="currentColor" role="img" aria-label={quoteattr(title)}'
    return text.replace("<svg ", f"<svg {attributes} ", 1)


def write_figure(table: Table, frame: pd.DataFrame, svg: Path | str, png: Path | str) -> None:
    """Draw a table that is a figure, and write it as SVG and, on white, as PNG."""
    header = '<?xml version="1.0" encoding="utf-8"?>\n'
    write_text(svg, header + as_svg(_drawn(table, frame), Path(svg).stem, table.title))
    with atomic_path(png) as temporary:
        _drawn(table, frame).savefig(
            temporary, format="png", dpi=160, facecolor="white", metadata={"Software": None}
        )


def _drawn(table: Table, frame: pd.DataFrame) -> "Figure":
    # Imported late: the workflow loads every paper when it starts, but draws in jobs.
    from matplotlib.figure import Figure

    assert table.draw is not None
    figure = Figure(layout="constrained")
    table.draw(frame, figure)
    return figure
