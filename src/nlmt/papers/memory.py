"""Figure 2 of Baltescu and Blunsom (2015): BLEU of one language model alone against its memory."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from nlmt.experiment.papers import PairFiles
from nlmt.papers.plots import BLUE, GREEN, ORANGE, style_axes
from nlmt.papers.quantities import ModelMemory, ModelSize, SystemScore
from nlmt.papers.results import Measurement, records, result_frame, result_row, run_values
from nlmt.papers.tables import PaperTable, quantity_table

SCORE, MEMORY, SIZE = "BLEU", "memory", "file size"
BACKOFF, NEURAL, EIGHT_BITS = "back-off", "neural", "neural in 8 bits"
# The paper's limit, as a share of the memory of its largest back-off model: 1 of 12 GB.
SMALL = 1 / 12
SMALL_ROW, LARGEST_ROW = "largest under 1 GB", "largest"

LABELS = {
    BACKOFF: "back-off models, 8 bits",
    NEURAL: "neural models",
    EIGHT_BITS: "neural models, 8 bits",
}
# Colour, marker, and where the text of a point stands, in points from it.
CURVES = (
    (BACKOFF, ORANGE, "s", (-6, 5)),
    (NEURAL, BLUE, "o", (5, -11)),
    (EIGHT_BITS, GREEN, "^", (-6, 5)),
)

Point = Mapping[str, Any]  # of one model: row, memory, and the row of its BLEU


def memory_figure(
    title: str,
    backoff: Mapping[str, tuple[str, str]],
    neural: Mapping[str, tuple[str, str]],
    eight_bits: Mapping[str, tuple[str, str]],
    *,
    pair: str,
    note: str,
) -> PaperTable:
    """The figure and the rows that claims are about.

    Args:
        title: what it shows.
        backoff: system and model by what follows `back-off / ` in the name of the row; the last
            one is of all text.
        neural: likewise of `neural / `.
        eight_bits: likewise of `neural in 8 bits / `, which no claim is about.
        pair: language pair of the published values.
        note: what a reader has to know.
    """
    points = quantity_table(
        title,
        {
            f"{kind} / {name}": {
                SCORE: SystemScore(system),
                MEMORY: ModelMemory(system),
                SIZE: ModelSize(model),
            }
            for kind, models in ((BACKOFF, backoff), (NEURAL, neural), (EIGHT_BITS, eight_bits))
            for name, (system, model) in models.items()
        },
        pair=pair,
        note=note,
        draw=draw_memory,
    )

    def make(parts: Sequence[PairFiles]) -> pd.DataFrame:
        frame = points.make(parts)
        rows = records(frame)
        for part in parts:
            rows += list(_of_sizes(part.pair, frame[frame["pair"] == part.pair]))
        return result_frame(rows)

    return replace(points, make=make)


def crossing(
    backoff: Sequence[tuple[float, float]], neural: Sequence[tuple[float, float]]
) -> float:
    """The least memory from which on back-off models are no worse than neural ones.

    Both curves are straight between their points, over the logarithm of memory.

    Args:
        backoff: memory and BLEU of each model.
        neural: likewise.

    Returns:
        NaN where they do not cross where both have points.
    """
    curves = [sorted((math.log(memory), bleu) for memory, bleu in c) for c in (backoff, neural)]
    if min(map(len, curves)) < 2:
        return math.nan
    low, high = max(c[0][0] for c in curves), min(c[-1][0] for c in curves)
    places = sorted({x for c in curves for x, _ in c if low <= x <= high} | {low, high})
    lead = [_at(curves[0], x) - _at(curves[1], x) for x in places]
    found = math.nan
    for (x, before), (next_x, after) in pairwise(zip(places, lead, strict=True)):
        if before < 0 <= after:
            found = math.exp(x + (next_x - x) * before / (before - after))
    return found


def draw_memory(frame: pd.DataFrame) -> Figure:
    """BLEU against memory, a panel for each pair."""
    pairs = list(dict.fromkeys(frame[frame["value"].notna()]["pair"]))
    if not pairs:
        return Figure()
    rows, columns = math.ceil(len(pairs) / 2), min(len(pairs), 2)
    figure = Figure(figsize=(5.2 * columns, 3.8 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).flat
    for axes in list(grid)[len(pairs) :]:
        axes.set_visible(False)
    for axes, pair in zip(figure.axes, pairs, strict=False):
        for kind, color, marker, beside in CURVES:
            points = _points(frame[frame["pair"] == pair], kind)
            axes.errorbar(
                [point["memory"] for point in points],
                [point["value"] for point in points],
                [0.0 if math.isnan(point["stdev"]) else point["stdev"] for point in points],
                color=color, marker=marker, ms=5, lw=1.5, capsize=3, label=LABELS[kind],
            )  # fmt: skip
            for point in points:
                axes.annotate(
                    point["row"].partition(" / ")[2].removesuffix(" of the text"),
                    (point["memory"], point["value"]), beside, textcoords="offset points",
                    ha="right" if beside[0] < 0 else "left", fontsize=8, color=color,
                )  # fmt: skip
        style_axes(axes)
        axes.set_xscale("log")
        axes.margins(x=0.12)  # for the texts of the outermost points
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlabel("memory of the language model, MB")
        axes.set_ylabel(f"{pair}: BLEU, mean and standard deviation")
        axes.legend(frameon=False)
    return figure


def _points(frame: pd.DataFrame, kind: str) -> list[dict[str, Any]]:
    """The measured models of a kind, the smallest first: rows of BLEU with their memory."""
    memory = {
        row["row"]: row["value"]
        for row in records(frame[frame["column"] == MEMORY])
        if not math.isnan(row["value"])
    }
    scores = records(frame[(frame["column"] == SCORE) & frame["value"].notna()])
    found = [
        {**row, "memory": memory[row["row"]]}
        for row in scores
        if row["row"].startswith(f"{kind} / ") and row["row"] in memory
    ]
    return sorted(found, key=lambda point: float(point["memory"]))


def _of_sizes(pair: str, frame: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """The best-known models by size, and where the curves cross."""
    points = {kind: _points(frame, kind) for kind in (BACKOFF, NEURAL)}
    if not points[BACKOFF]:
        return
    limit = SMALL * points[BACKOFF][-1]["memory"]
    for kind, models in points.items():
        small = [point for point in models if point["memory"] <= limit]
        for name, chosen in ((SMALL_ROW, small), (LARGEST_ROW, models)):
            if chosen and (name, kind) != (LARGEST_ROW, BACKOFF):  # which has all text
                model = chosen[-1]["row"].partition(" / ")[2]
                yield {**chosen[-1], "row": f"{kind} / {name}", "note": model}
    runs = min(
        (len(run_values(point)) for models in points.values() for point in models), default=0
    )
    places = tuple(
        crossing(*([(p["memory"], run_values(p)[run]) for p in points[k]] for k in points))
        for run in range(runs)
    )
    place = crossing(*([(p["memory"], p["value"]) for p in points[k]] for k in points))
    if not math.isnan(place):
        known = tuple(one for one in places if not math.isnan(one))
        yield result_row(
            pair, "back-off no worse than neural from", MEMORY, "MB", "", Measurement(place, known)
        )


def _at(curve: Sequence[tuple[float, float]], x: float) -> float:
    """The value of a curve of straight pieces."""
    for (left, low), (right, high) in pairwise(curve):
        if left <= x <= right:
            return low + (high - low) * (x - left) / (right - left) if right > left else low
    return curve[0][1] if x < curve[0][0] else curve[-1][1]
