"""Figures as SVG text, for light and dark background; equal numbers give equal bytes."""

import io
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from nlmt.report.tuned import TunedRun

BLUE, GREY, RED = "#3b82c4", "#8a8f98", "#d0624a"  # all readable on white and on black
MODELS = (BLUE, "#3c9d76", "#9a6fc0", "#b8872b")  # in turn
DASHES = ("--", ":", "-.")  # in turn
SIZE = (4.6, 3.3)  # inches: two fit side by side, or on a phone one above the other


def results_figures(
    curves: Mapping[str, Sequence[pd.DataFrame]],
    levels: Mapping[str, float],
    tuned: Mapping[str, Sequence[TunedRun]] | None = None,
) -> list[str]:
    """Figures of learning curves of neural models, and of the curves of tuning.

    Args:
        curves: name of a model to the learning curve of each run, columns `epoch` and
            `dev_perplexity`.
        levels: name of an n-gram model to its dev perplexity, drawn as a line.
        tuned: by system its runs, of which those with a curve are drawn.

    Returns:
        Two `<svg>` elements, or fewer where there is nothing to draw.
    """
    pictures = []
    if curves or levels:
        pictures.append(as_svg(lambda axes: _draw_curves(axes, curves, levels), "curves"))
    loops = {
        name: shown
        for name, runs in (tuned or {}).items()
        if (shown := [run for run in runs if run.curve is not None])
    }
    if loops:
        pictures.append(as_svg(lambda axes: _draw_tuning(axes, loops), "tuning"))
    return pictures


def as_svg(draw: Callable[[Any], None], salt: str) -> str:
    """The figure that `draw` draws on its axes, as an `<svg>` element.

    Args:
        draw: takes the axes.
        salt: makes the names of shapes different from those of other figures of a page.
    """

    def draw_axes(figure: Figure) -> None:
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        draw(axes)

    return figure_as_svg(draw_axes, salt, SIZE)


def figure_as_svg(draw: Callable[[Figure], None], salt: str, size: tuple[float, float]) -> str:
    """The figure of `size` inches that `draw` draws, as an `<svg>` element.

    Args:
        draw: takes the figure.
        salt: makes the names of shapes different from those of other figures of a page.
        size: width and height, in inches.
    """
    with mpl.rc_context(
        {"svg.hashsalt": salt, "svg.fonttype": "none", "font.size": 10, "axes.titlesize": 10}
    ):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    # Ink and letters have the colour of the surrounding text.
    text = text[text.index("<svg") :].replace("#000000", "currentColor")
    return text.replace("<svg ", '<svg fill="currentColor" ', 1)


def _draw_curves(
    axes: Any,
    curves: Mapping[str, Sequence[pd.DataFrame]],
    levels: Mapping[str, float],
) -> None:
    for (name, runs), color in zip(curves.items(), cycle(MODELS), strict=False):
        for place, curve in enumerate(runs):
            epochs, perplexities = curve["epoch"].tolist(), curve["dev_perplexity"].tolist()
            label = name if place == 0 else None
            axes.plot(epochs, perplexities, marker="o", ms=3, color=color, label=label)
    for (name, level), dash in zip(levels.items(), cycle(DASHES), strict=False):
        axes.axhline(level, color=RED, ls=dash, lw=1, label=name)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title("Perplexity of dev while models are trained")
    axes.set_xlabel("epochs over the text")
    axes.set_ylabel("perplexity")
    axes.legend(frameon=False)
    axes.grid(alpha=0.3)


def _draw_tuning(axes: Any, loops: Mapping[str, Sequence[TunedRun]]) -> None:
    for (name, runs), color in zip(loops.items(), cycle(MODELS), strict=False):
        for place, run in enumerate(runs):
            assert run.curve is not None
            iterations, values = run.curve["iteration"].tolist(), run.curve["decoded"].tolist()
            label = name if place == 0 else None
            axes.plot(iterations, values, marker="o", ms=3, lw=1, color=color, label=label)
            best = max(range(len(values)), key=values.__getitem__)
            axes.plot(iterations[best], values[best], "o", ms=7, mfc="none", color=color)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    bleu = all(run.bleu is not None for runs in loops.values() for run in runs)
    axes.set_title("The tuning set while weights are tuned")
    axes.set_xlabel("iterations (circles: weights kept)")
    axes.set_ylabel("BLEU" if bleu else "objective")
    axes.legend(frameon=False)
    axes.grid(alpha=0.3)
