"""Figures as SVG text for pages: equal numbers give equal bytes."""

import io
import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LONG = re.compile(r"\d+\.\d{3,}")  # more digits than can be seen


def as_svg(figure: "Figure", name: str, title: str) -> str:
    """A figure as an `<svg>` element whose ink has the colour of the surrounding text.

    Args:
        figure: can be drawn only once.
        name: distinguishes its inner names from those of other figures on the page.
        title: for readers who cannot see it.
    """
    import matplotlib as mpl  # late: the workflow loads this when it starts

    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :].replace("#000000", "currentColor")
    # The size on the page follows the text; letters have no colour of their own.
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<text style="[^"]*?);? *fill: #[0-9a-f]{6}', r"\1", text)
    text = re.sub(r"<[^>]*>", lambda tag: _LONG.sub(_rounded, tag[0]), text)  # not what is written
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->|\n *", "", text, flags=re.DOTALL)
    text = re.sub(r"font-family: [^;\"]*", "font-family: sans-serif", text)
    # Nothing refers to the names of groups, which recur in all figures.
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    attributes = f'fill="currentColor" role="img" aria-label={quoteattr(title)}'
    return text.replace("<svg ", f"<svg {attributes} ", 1)


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}"
