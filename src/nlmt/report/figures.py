"""Figures as SVG text, for light and dark background; equal numbers give equal bytes."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import cycle
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from nlmt.report.svg import as_svg
from nlmt.report.tuned import TunedRun

BLUE, GREY, RED = "#3b82c4", "#8a8f98", "#d0624a"  # all readable on white and on black
MODELS = (BLUE, "#3c9d76", "#9a6fc0", "#b8872b")  # in turn
DASHES = ("--", ":", "-.")  # in turn
CURVES = "Perplexity of dev while models are trained"
TUNING = "The tuning set while weights are tuned"
SIZE = (4.6, 3.3)  # inches: two fit side by side, or on a phone one above the other


def results_figures(
    curves: Mapping[str, Sequence[pd.DataFrame]],
    levels: Mapping[str, float],
    tuned: Mapping[str, Sequence[TunedRun]],
) -> list[str]:
    """Figures (`<svg>`) of learning curves of neural models and of tuning, where there are any.

    Args:
        curves: name of a model to the learning curve of each run, columns `epoch` and
            `dev_perplexity`.
        levels: name of an n-gram model to its dev perplexity, drawn as a line.
        tuned: by system its runs, of which those with a curve are drawn.
    """
    pictures = []
    if curves or levels:
        pictures.append(
            draw_axes(lambda axes: _draw_curves(axes, curves, levels), "curves", CURVES)
        )
    loops = {
        name: shown
        for name, runs in tuned.items()
        if (shown := [run for run in runs if run.curve is not None])
    }
    if loops:
        pictures.append(draw_axes(partial(_draw_tuning, loops=loops), "tuning", TUNING))
    return pictures


def draw_axes(draw: Callable[[Any], None], name: str, title: str) -> str:
    """The figure that `draw` draws on its axes, below a title, as an `<svg>` element (`as_svg`)."""
    with mpl.rc_context({"font.size": 10, "axes.titlesize": 10}):
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_title(title)
        draw(axes)
        axes.grid(alpha=0.3)
        return as_svg(figure, name, title)


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
    axes.set_xlabel("epochs over the text")
    axes.set_ylabel("perplexity")
    axes.legend(frameon=False)


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
    axes.set_xlabel("iterations (circles: weights kept)")
    axes.set_ylabel("BLEU" if bleu else "objective")
    axes.legend(frameon=False)
