"""Table 1 of Baltescu and Blunsom (2015), from the measurements of `nlmt.papers.complexity`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nlmt.evaluation.difference import compare_values
from nlmt.io.json_files import read_json
from nlmt.papers.paper import PairFiles, Table
from nlmt.papers.plots import BLUE, GREEN, ORANGE, PURPLE, log_axis, style_axes
from nlmt.papers.results import ALL_PAIRS, records, result_frame, result_row, run_values
from nlmt.papers.times import timed_cell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE = "results/papers/baltescu2015/complexity.json"
TRAINING, DECODING = "Training", "Exact Decoding"
ROWS = ("Standard", "Class Factored", "Tree Factored", "NCE")
# The models' names beside those of systems.
PARTS = {row: f"synthetic-{row.lower().replace(' ', '-')}" for row in ROWS}
COLORS = dict(zip(ROWS, (ORANGE, BLUE, GREEN, PURPLE), strict=True))
MARKERS = dict(zip(ROWS, "osD^", strict=True))


def exponent(words: Sequence[float], seconds: Sequence[float] | NDArray[np.float64]) -> float:
    """The power of V with which time grows, by least squares over the logarithms."""
    return float(np.polyfit(np.log(words), np.log(seconds), 1)[0])


def _needs(_experiment: object, _settings: object, pair: str) -> PairFiles:
    return PairFiles(pair, {"complexity": [FILE]})


def _points(parts: Sequence[PairFiles]) -> dict[str, Any]:
    """The measurements, which do not depend on the pair."""
    return read_json(parts[0].files["complexity"][0])


def make_exponents(parts: Sequence[PairFiles]) -> pd.DataFrame:
    """The fitted exponent of each row and column, the mean over the passes.

    Those of two rows are compared pass by pass.
    """
    facts = _points(parts)
    rows = []
    for column in (TRAINING, DECODING):
        powers, busy = {}, {}
        for name in ROWS:
            points = [point for point in facts["points"] if point["row"] == name]
            sizes = [point["words"] for point in points]
            passes = zip(*(point[column] for point in points), strict=True)
            powers[name] = [exponent(sizes, seconds) for seconds in passes]
            busy[name] = any(point["timing"][column]["busy"] for point in points)
        for name, own in powers.items():
            measured = replace(
                timed_cell(own, facts, busy=busy[name]),
                differences={
                    PARTS[other]: compare_values(own, powers[other], paired=True)
                    for other in ROWS
                    if other != name
                },
            )
            part = PARTS[name]
            rows.append(result_row(ALL_PAIRS, name, column, "exponent of V", part, measured))
    return result_frame(rows)


def make_times(parts: Sequence[PairFiles]) -> pd.DataFrame:
    """The mean time of each point."""
    facts = _points(parts)
    rows = [
        result_row(
            ALL_PAIRS,
            f"{point['row']} / V = {point['words']}",
            column,
            "microseconds a token",
            PARTS[point["row"]],
            timed_cell(
                [1e6 * seconds for seconds in point[column]],
                facts,
                busy=point["timing"][column]["busy"],
            ),
        )
        for point in facts["points"]
        for column in (TRAINING, DECODING)
    ]
    return result_frame(rows)


def draw_times(frame: pd.DataFrame, figure: "Figure") -> None:
    """Draw time against the size of the vocabulary, both logarithmic, with a panel per column.

    Points are means of the repetitions, with lines from the shortest to the longest; the legend has
    exponents.
    """
    figure.set_size_inches(9.5, 3.8)
    for axes, column in zip(figure.subplots(1, 2, sharey=True), (TRAINING, DECODING), strict=True):
        for name in ROWS:
            rows = [
                row
                for row in records(frame[frame["column"] == column])
                if row["row"].startswith(f"{name} / ")
            ]
            words = [int(row["row"].rpartition("= ")[2]) for row in rows]
            means = np.array([row["value"] for row in rows])
            runs = np.array([run_values(row) for row in rows])  # (sizes, repetitions)
            # Means of equal values may be off by the last digit.
            reach = np.maximum(0, [means - runs.min(axis=1), runs.max(axis=1) - means])
            power = f"{exponent(words, means):.2f}"
            axes.errorbar(
                words, means, reach, color=COLORS[name], marker=MARKERS[name],
                ms=5, lw=1.5, capsize=3, label=f"{name}, $V^{{{power}}}$",
            )  # fmt: skip
        style_axes(axes)
        log_axis(axes.xaxis)
        log_axis(axes.yaxis)
        axes.set_title(column.lower(), fontsize=11)
        axes.set_xlabel("words of the vocabulary, V")
        axes.legend(frameon=False, fontsize=8)
    figure.axes[0].set_ylabel("microseconds a token, mean and range")


TABLE1 = Table(
    title="Table 1: how time grows with the vocabulary",
    needs=_needs,
    make=make_exponents,
    note="The power of V that the time for a token grows with, fitted over synthetic vocabularies "
    "whose words are as frequent as Zipf's law has it; the mean over passes. "
    "The paper has formulas, whose exponents are beside ours: O(V D) for standard models and for "
    "exact decoding after NCE, O(sqrt(V) D) with classes, O(log(V) D) with trees, O(k D) for "
    "training with NCE. The part of the time that does not depend on V makes the powers smaller, "
    "vectors that are not in the processor's caches make them larger. Sizes, D, tokens and "
    "repetitions are those of papers.baltescu2015 in the configuration below; the seed is 1.",
    pair=ALL_PAIRS,
)
TIMES = Table(
    title="Time against the size of the vocabulary",
    needs=_needs,
    make=make_times,
    note="The mean over several passes with nothing else running, on one thread; words are as "
    "frequent as Zipf's law has it. Training is by AdaGrad on minibatches; scores are normalised "
    "exactly.",
    draw=draw_times,
    pair=ALL_PAIRS,
)
