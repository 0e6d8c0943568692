"""Pictures as SVG text: the same numbers give the same bytes."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

BLUE, GREY, RED = "#20639b", "#8a8f98", "#c8553d"


def results_figure(
    rows: Sequence[Mapping[str, Any]],
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    levels: Mapping[str, float],
) -> str:
    """BLEU of each system with its spread, beside the learning curves of the neural models.

    Args:
        rows: rows of `result_rows`.
        curves: name of a model to (passes over the text, dev perplexity after each).
        levels: name of an n-gram model to its dev perplexity, drawn as a line.

    Returns:
        An `<svg>` element.
    """
    with mpl.rc_context({"svg.hashsalt": "nlmt", "svg.fonttype": "none", "font.size": 10}):
        figure = Figure(figsize=(9, 3.4), layout="constrained")
        bars, lines = figure.subplots(1, 2)
        _draw_scores(bars, rows)
        _draw_curves(lines, curves, levels)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def _draw_scores(axes: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    means = [row["mean"] for row in rows]
    spreads = [row["stdev"] for row in rows]
    places = range(len(rows))
    axes.errorbar(means, places, xerr=spreads, fmt="none", ecolor=GREY, capsize=4, zorder=1)
    axes.scatter(means, places, color=BLUE, zorder=2)
    for place, row in zip(places, rows, strict=True):
        axes.scatter(row["runs"], [place + 0.16] * len(row["runs"]), color=GREY, s=8, zorder=1)
        axes.annotate(
            f"{row['mean']:.2f}", (row["mean"], place), (0, 9), textcoords="offset points",
            ha="center",
        )  # fmt: skip
    axes.set_yticks(places, [row["label"] for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    low, high = min(min(row["runs"]) for row in rows), max(max(row["runs"]) for row in rows)
    margin = max(0.3, 0.25 * (high - low))
    axes.set_xlim(low - margin, high + margin)
    axes.set_xlabel("BLEU (mean and standard deviation; small dots: runs)")
    axes.grid(axis="x", alpha=0.3)


def _draw_curves(
    axes: Any,
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    levels: Mapping[str, float],
) -> None:
    for name, (passes, perplexities) in curves.items():
        axes.plot(passes, perplexities, marker="o", ms=3, color=BLUE, label=name)
    for name, level in levels.items():
        axes.axhline(level, color=RED, ls="--", lw=1, label=name)
    axes.set_xlabel("passes over the text")
    axes.set_ylabel("dev perplexity")
    if curves or levels:
        axes.legend(frameon=False)
    axes.grid(alpha=0.3)
