"""Figures for the pages in a uniform style, for light and dark background."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from nlmt.io.files import atomic_path, write_text
from nlmt.papers.paper import Table
from nlmt.papers.results import differences, records
from nlmt.report.svg import as_svg
from nlmt.report.table import MIXED_CODE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# From Okabe and Ito's palette, which colour-blind readers can tell apart.
BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
GREY = "#8a8f98"
_XML = '<?xml version="1.0" encoding="utf-8"?>\n'
# A figure that stands alone is shown on pages of any colour.
_ALONE = "svg{color:#1d2126;background:#fff}"


def log_axis(axis: Any) -> None:
    """Make an axis logarithmic, with plain numbers at its ticks."""
    from matplotlib.ticker import LogLocator, NullLocator  # late, as in `_drawn`

    low, high = axis.get_data_interval()
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    axis.set_major_locator(LogLocator(subs=(1,) if high > 100 * low else (1, 2, 5)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter("{x:g}")


def style_axes(axes: Any) -> None:
    """Remove the frame at the top and right, and add a light grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=GREY, alpha=0.3, lw=0.6)


def pair_panels(
    frame: pd.DataFrame, figure: "Figure", width: float, height: float, across: int
) -> Iterator[tuple[Any, pd.DataFrame]]:
    """Yield a panel for each pair, and its measured rows; then give it its style and title.

    `width` and `height` are of a panel, in inches; `across` are side by side. All share a legend.
    """
    frame = frame[frame["value"].notna()]
    pairs = list(dict.fromkeys(frame["pair"]))
    if not pairs:
        return
    columns = min(across, len(pairs))
    rows = math.ceil(len(pairs) / columns)
    figure.set_size_inches(width * columns, height * rows)
    panels = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axes, pair in zip(panels, pairs, strict=False):
        yield axes, frame[frame["pair"] == pair]
        style_axes(axes)
        axes.set_title(pair, fontsize=11)
    for axes in panels[len(pairs) :]:
        axes.set_visible(False)
    shared_legend(figure)


def shared_legend(figure: "Figure") -> None:
    """Put the legend of a figure's first panel below all panels, where it covers nothing."""
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=2 * len(figure.axes),
        frameon=False,
        fontsize=9,
    )


def draw_scores(frame: pd.DataFrame, figure: "Figure") -> None:
    """Draw BLEU by system in a panel per pair, and in one beside it where the paper has scores.

    Intervals are those of the difference from the system that p is of.
    """
    frame = frame[frame["unit"] == "BLEU"]
    panels = [
        (pair, value)
        for pair in dict.fromkeys(frame["pair"])
        for value in ("value", "published")
        if frame[frame["pair"] == pair][value].notna().any()
    ]
    if not panels:
        return
    systems = list(dict.fromkeys(frame["row"]))[::-1]
    columns = min(4, len(panels))
    lines = math.ceil(len(panels) / columns)
    figure.set_size_inches(1.6 + 2.4 * columns, (0.7 + 0.32 * len(systems)) * lines)
    grid = list(figure.subplots(lines, columns, squeeze=False, sharey=True).flat)
    for axes, (pair, value) in zip(grid, panels, strict=False):
        ours = value == "value"
        for row in records(frame[(frame["pair"] == pair) & frame[value].notna()]):
            gain = differences(row).get(row["against"]) if ours else None
            axes.errorbar(
                row[value], systems.index(row["row"]),
                xerr=None if gain is None else (gain.high - gain.low) / 2,
                color=BLUE if ours else ORANGE, marker="o" if ours else "D", ms=5, capsize=3,
            )  # fmt: skip
        style_axes(axes)
        axes.set_yticks(range(len(systems)), systems)
        axes.set_ylim(-0.6, len(systems) - 0.4)
        axes.set_title(f"{pair}, {'here' if ours else 'the paper'}", fontsize=10)
        axes.set_xlabel("BLEU")
    for axes in grid[len(panels) :]:
        axes.set_visible(False)


def draw_over_text(frame: pd.DataFrame, figure: "Figure") -> None:
    """Draw mean BLEU against the tokens of each row's text in a panel per pair.

    A row without tokens, as the baseline, is a line.
    """
    for axes, of_pair in pair_panels(frame, figure, 4, 3.3, across=4):
        own = records(of_pair)
        tokens = {row["row"]: row["value"] for row in own if row["unit"] == "tokens"}
        points = []
        for row in (row for row in own if row["column"] == "BLEU, average"):
            if row["row"] in tokens:
                gain = differences(row).get(row["against"])
                half = math.nan if gain is None else (gain.high - gain.low) / 2
                points.append((tokens[row["row"]], row["value"], half))
            else:
                axes.axhline(row["value"], color=ORANGE, lw=1.5, label=row["row"])
        if points:
            sizes, scores, halves = zip(*sorted(set(points)), strict=True)
            axes.errorbar(
                sizes, scores, halves, color=BLUE, marker="o", ms=5, capsize=3, label="network"
            )
            log_axis(axes.xaxis)
        axes.set_xlabel("tokens of the network's text")
        axes.set_ylabel("BLEU, average")


def standalone_svg(table: Table, frame: pd.DataFrame, name: str) -> str:
    """A table that is a figure as the text of an SVG file."""
    svg = as_svg(_drawn(table, frame), name, table.title)
    place = svg.index(">") + 1
    return f"{_XML}{svg[:place]}<style>{_ALONE}</style>{svg[place:]}\n"


def write_figure(table: Table, frame: pd.DataFrame, svg: Path | str, png: Path | str) -> None:
    """Draw a table that is a figure, with its mark, and write it as SVG and, on white, as PNG."""
    write_text(svg, _XML + as_svg(_marked(table, frame), Path(svg).stem, table.title))
    with atomic_path(png) as temporary:
        _marked(table, frame).savefig(
            temporary, format="png", dpi=160, facecolor="white", metadata={"Software": None}
        )


def _marked(table: Table, frame: pd.DataFrame) -> "Figure":
    """The figure; above it, the mark that notes of mixed code give the table."""
    figure = _drawn(table, frame)
    if any(str(note).endswith(MIXED_CODE) for note in frame["note"]):
        figure.suptitle(MIXED_CODE, fontsize=11)
    return figure


def _drawn(table: Table, frame: pd.DataFrame) -> "Figure":
    # Imported late: the workflow loads every paper when it starts, but draws in jobs.
    from matplotlib.figure import Figure

    assert table.draw is not None
    figure = Figure(layout="constrained")
    table.draw(frame, figure)
    return figure
