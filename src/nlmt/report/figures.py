"""Pictures as SVG text: the same numbers give the same bytes."""

import io
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

BLUE, GREY, RED = "#20639b", "#8a8f98", "#c8553d"
MODELS = (BLUE, "#3c8d6b", "#8a5fa8", "#b8872b")  # in turn
DASHES = ("--", ":", "-.")  # in turn
SIZE = (4.6, 3.3)  # inches: two stand side by side, or on a phone one above the other


def results_figures(
    rows: Sequence[Mapping[str, Any]],
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    levels: Mapping[str, float],
) -> list[str]:
    """BLEU of each system with its spread, and the learning curves of the neural models.

    Args:
        rows: rows of `result_rows`.
        curves: name of a model to (epochs over the text, dev perplexity after each).
        levels: name of an n-gram model to its dev perplexity, drawn as a line.

    Returns:
        Two `<svg>` elements.
    """
    # The salt tells the names of shapes apart between the two.
    pictures = [as_svg(lambda axes: _draw_scores(axes, rows), "scores")]
    if curves or levels:
        pictures.append(as_svg(lambda axes: _draw_curves(axes, curves, levels), "curves"))
    return pictures


def as_svg(draw: Callable[[Any], None], salt: str) -> str:
    """What `draw` draws on axes, as an `<svg>` element; `salt` tells its names from others'."""

    def draw_axes(figure: Figure) -> None:
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        draw(axes)

    return figure_as_svg(draw_axes, salt, SIZE)


def figure_as_svg(draw: Callable[[Figure], None], salt: str, size: tuple[float, float]) -> str:
    """The same for a whole figure of `size` inches."""
    with mpl.rc_context({"svg.hashsalt": salt, "svg.fonttype": "none", "font.size": 10}):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def _draw_scores(axes: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    means = [row["mean"] for row in rows]
    spreads = [row["stdev"] or 0.0 for row in rows]
    places = range(len(rows))
    axes.errorbar(means, places, xerr=spreads, fmt="none", ecolor=GREY, capsize=4, zorder=1)
    axes.scatter(means, places, color=BLUE, zorder=2)
    for place, row in zip(places, rows, strict=True):
        axes.scatter(row["runs"], [place + 0.16] * len(row["runs"]), color=GREY, s=8, zorder=1)
        axes.annotate(
            f"{row['mean']:.2f}", (row["mean"], place), (0, 9), textcoords="offset points",
            ha="center",
        )  # fmt: skip
    axes.set_yticks(places, [row["system"] for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    low, high = min(min(row["runs"]) for row in rows), max(max(row["runs"]) for row in rows)
    margin = max(0.3, 0.25 * (high - low))
    axes.set_xlim(low - margin, high + margin)
    axes.set_xlabel("BLEU: mean and standard deviation (grey: runs)")
    axes.grid(axis="x", alpha=0.3)


def _draw_curves(
    axes: Any,
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    levels: Mapping[str, float],
) -> None:
    for (name, (epochs, perplexities)), color in zip(curves.items(), cycle(MODELS), strict=False):
        axes.plot(epochs, perplexities, marker="o", ms=3, color=color, label=name)
    for (name, level), dash in zip(levels.items(), cycle(DASHES), strict=False):
        axes.axhline(level, color=RED, ls=dash, lw=1, label=name)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("epochs over the text")
    axes.set_ylabel("dev perplexity")
    axes.legend(frameon=False)
    axes.grid(alpha=0.3)
