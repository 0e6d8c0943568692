"""Figures for the pages: one look, on light and on dark paper."""

import io
import re
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

# Of the palette of Okabe and Ito, which readers who see fewer colours tell apart.
BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
GREY = "#8a8f98"
_INK = "#000000"


def style_axes(axes: Any) -> None:
    """No frame at the top and on the right; a light grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=GREY, alpha=0.3, lw=0.6)


def as_svg(figure: Figure, name: str) -> str:
    """A figure as an `<svg>` element whose ink has the colour of the text around it.

    The same numbers give the same bytes.

    Args:
        figure: may be drawn once only.
        name: tells its inner names from those of other figures on the page.
    """
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :].replace(_INK, "currentColor")
    # The size on the page is that of the text; letters have no colour of their own.
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    return text.replace("<svg ", '<svg fill="currentColor" role="img" ', 1)


def write_png(figure: Figure, path: str) -> None:
    """Write a figure as PNG on white."""
    figure.savefig(path, format="png", dpi=160, facecolor="white", metadata={"Software": None})
