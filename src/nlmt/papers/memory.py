"""Figure 2 of Baltescu and Blunsom (2015): BLEU of a single language model against its memory."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nlmt.evaluation.difference import Difference, compare_values
from nlmt.papers.evidence import compared
from nlmt.papers.paper import PairFiles
from nlmt.papers.plots import BLUE, GREEN, ORANGE, log_axis, pair_panels
from nlmt.papers.quantities import Quantity, model_memory, model_size
from nlmt.papers.results import (
    NOTHING,
    Measurement,
    differences,
    records,
    result_frame,
    result_row,
    run_values,
)
from nlmt.papers.scores import score
from nlmt.papers.tables import PaperTable, quantity_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCORE, MEMORY, SIZE = "BLEU", "memory", "file size"
BACKOFF, NEURAL, EIGHT_BITS = "back-off", "neural", "neural in 8 bits"
# The paper's limit, as a share of its largest back-off model: 1 of 12 GB.
SMALL = 1 / 12
CROSSING_ROW = "back-off no worse from"
# Label, colour, marker, and offset of a point's text, in points.
CURVES = (
    (BACKOFF, "back-off models", ORANGE, "s", (-6, 5)),
    (NEURAL, "neural models", BLUE, "o", (5, -11)),
    (EIGHT_BITS, "neural models, 8 bits", GREEN, "^", (-6, 5)),
)

Curve = Sequence[tuple[float, float]]  # size and BLEU of each model, the smallest first


@dataclass(frozen=True)
class SizedModel:
    """A model of the figure.

    Attributes:
        system: that decodes with only this model.
        against: the system that p in the figure's table compares it with; empty: its baseline.
        size: whether the decoder reads the model's files as they are.
    """

    system: str
    model: str
    against: str = ""
    size: bool = True


def memory_figure(
    title: str, models: Mapping[str, Mapping[str, SizedModel]], *, pair: str, note: str
) -> PaperTable:
    """The figure and the rows for claims.

    Models are by kind (`BACKOFF`, `NEURAL`, `EIGHT_BITS`), and by the name that follows the kind in
    the name of the row.
    """
    points = quantity_table(
        title,
        {
            f"{kind} / {name}": _cells(model)
            for kind, of_kind in models.items()
            for name, model in of_kind.items()
        },
        pair=pair,
        note=note,
        draw=draw_memory,
    )

    def make(parts: Sequence[PairFiles]) -> pd.DataFrame:
        frame = points.make(parts)
        rows = records(frame)
        for part in parts:
            rows += list(derived_rows(part.pair, frame[frame["pair"] == part.pair]))
        return result_frame(rows)

    return replace(points, make=make)


def _cells(model: SizedModel) -> dict[str, Quantity]:
    cells: dict[str, Quantity] = {
        SCORE: score(model.system, against=model.against),
        MEMORY: model_memory(model.system),
    }
    return cells | ({SIZE: model_size(model.model)} if model.size else {})


def crossing(backoff: Curve, neural: Curve) -> Measurement | None:
    """Find the memory from which back-off models are no worse than neural ones.

    The curves are interpolated linearly over the logarithm of memory.

    Returns:
        The largest memory where the curves cross so; with a note, if back-off models are never
        worse, the least memory that both kinds have, and if always, the most. None if the ranges of
        memory do not overlap.
    """
    if min(len(backoff), len(neural)) < 2:
        return None
    low, high = max(c[0][0] for c in (backoff, neural)), min(c[-1][0] for c in (backoff, neural))
    if low >= high:
        return None
    places = sorted({x for c in (backoff, neural) for x, _ in c if low <= x <= high} | {low, high})
    lead = [_at(backoff, x) - _at(neural, x) for x in places]
    found = None
    for (x, before), (next_x, after) in pairwise(zip(places, lead, strict=True)):
        if before < 0 <= after:
            step = math.log(next_x / x) * before / (before - after)
            found = Measurement(math.exp(math.log(x) + step))
    if found is not None:
        return found
    if lead[-1] >= 0:
        note = "no crossing: back-off models are no worse wherever both have models"
        return Measurement(low, note=note)
    note = "no crossing: neural models are better up to the most that both have"
    return Measurement(high, note=note)


def draw_memory(frame: pd.DataFrame, figure: "Figure") -> None:
    """Draw BLEU against memory in a panel per pair, with a dotted line where the curves cross.

    Of the models in 8 bits, which repeat the neural ones, only the first and the last are labelled.
    """
    for axes, of_pair in pair_panels(frame, figure, 5.2, 3.8, across=2):
        for kind, label, color, marker, beside in CURVES:
            points = _points(of_pair, kind)
            axes.errorbar(
                [point["size"] for point in points],
                [point["value"] for point in points],
                [0.0 if math.isnan(point["stdev"]) else point["stdev"] for point in points],
                color=color, marker=marker, ms=5, lw=1.5, capsize=3, label=label,
            )  # fmt: skip
            for point in points if kind != EIGHT_BITS else [*points[:1], *points[1:][-1:]]:
                size = point["row"].partition(" / ")[2].removesuffix(" of the text")
                axes.annotate(
                    size.removesuffix(" of the tables"),
                    (point["size"], point["value"]), beside, textcoords="offset points",
                    ha="right" if beside[0] < 0 else "left", fontsize=8, color=color,
                )  # fmt: skip
            for row in records(of_pair[of_pair["row"] == f"{CROSSING_ROW} / {kind}"]):
                if not row["note"].startswith("no crossing"):
                    axes.axvline(row["value"], color=color, ls=":", lw=1.2)
        log_axis(axes.xaxis)
        axes.margins(x=0.12)  # for the texts of the outermost points
        axes.set_xlabel("memory of the language model, MB")
        axes.set_ylabel("BLEU, mean and standard deviation")


def _points(frame: pd.DataFrame, kind: str, size: str = MEMORY) -> list[dict[str, Any]]:
    """The measured models of a kind, the smallest first: rows of BLEU with their size."""
    sizes = {
        row["row"]: row["value"]
        for row in records(frame[frame["column"] == size])
        if not math.isnan(row["value"])
    }
    scores = records(frame[(frame["column"] == SCORE) & frame["value"].notna()])
    found = [
        {**row, "size": sizes[row["row"]]}
        for row in scores
        if row["row"].startswith(f"{kind} / ") and row["row"] in sizes
    ]
    return sorted(found, key=lambda point: float(point["size"]))


class _Models:
    """The measured models of a kind: their points, and the curve of each run through them."""

    def __init__(self, frame: pd.DataFrame, kind: str, size: str = MEMORY) -> None:
        self.points = _points(frame, kind, size)
        self.sizes = [float(point["size"]) for point in self.points]
        runs = [run_values(point) for point in self.points]
        self.mean = self._curve([point["value"] for point in self.points])
        self.of_runs = [self._curve(scores) for scores in zip(*runs, strict=False)]

    def _curve(self, scores: Iterable[float]) -> Curve:
        return list(zip(self.sizes, scores, strict=True))

    def mean_between(self, low: float, high: float) -> Measurement:
        """The mean of the curve between two sizes, over their logarithm.

        It is a mean of models with weights; its difference from another system has a standard error
        as if those of the models were of one sign, which is the most that it can be.
        """
        ends = np.log(sorted({low, high, *(size for size in self.sizes if low < size < high)}))
        # A model's score counts by the mean of the curve on which it has 1 and all others 0.
        hats = [np.interp(ends, np.log(self.sizes), one) for one in np.eye(len(self.sizes))]
        weights = np.trapezoid(hats, ends) / (ends[-1] - ends[0])

        def mean(values: Iterable[float]) -> float:
            return float(np.dot(weights, list(values)))

        known = [differences(point) for point in self.points]
        others = [name for name in known[0] if all(name in one for one in known)]
        return Measurement(
            mean(score for _, score in self.mean),
            tuple(mean(score for _, score in curve) for curve in self.of_runs),
            {
                name: Difference(
                    mean(one[name].difference for one in known),
                    mean(one[name].deviation for one in known),
                    min(one[name].freedom for one in known),
                )
                for name in others
            },
        )

    def name(self, place: int) -> str:
        """The name of a point."""
        return str(self.points[place]["row"].partition(" / ")[2])


def derived_rows(pair: str, frame: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """Models of equal size, the gain of back-off models from text, and the crossing."""
    backoff, neural, eight_bits = (_Models(frame, kind) for kind in (BACKOFF, NEURAL, EIGHT_BITS))

    def score(row: str, measured: Measurement) -> dict[str, Any]:
        return result_row(pair, row, SCORE, "BLEU", "", measured)

    small = _small_range(*(_Models(frame, kind, SIZE) for kind in (BACKOFF, NEURAL)))
    if small is not None:
        yield score("neural vs. back-off / under 1 GB", small)
    if backoff.points and neural.points:
        for row, at in zip(
            ("largest", "next to largest"), range(-1, -len(neural.points), -1), strict=False
        ):
            yield {**neural.points[at], "row": f"{NEURAL} / {row}", "note": neural.name(at)}
        lead = _difference(backoff.points[-1], neural.points[-1])
        yield score("back-off vs. neural / largest models", lead)
    if len(backoff.points) > 2:
        for which, place in (("first", 1), ("last", len(backoff.points) - 1)):
            note = f"from {backoff.name(place - 1)} to {backoff.name(place)}"
            gain = _difference(backoff.points[place], backoff.points[place - 1])
            yield score(f"{BACKOFF} / {which} gain", replace(gain, note=note))
    for kind, models in ((NEURAL, neural), (EIGHT_BITS, eight_bits)):
        found = _crossing(backoff, models)
        if found is not None:
            yield result_row(pair, f"{CROSSING_ROW} / {kind}", MEMORY, "MB", "", found)


def _small_range(backoff: _Models, neural: _Models) -> Measurement | None:
    """The mean lead of neural models of small files; None if no sizes are of both kinds.

    The sizes are those that both kinds have, up to the paper's limit if that is among them.
    """
    if not backoff.sizes or not neural.sizes:
        return None
    low, high = (
        of_both(of(backoff.sizes), of(neural.sizes)) for of_both, of in ((max, min), (min, max))
    )
    limit = SMALL * backoff.sizes[-1]
    if limit > low:
        high = min(high, limit)
    if low >= high:
        return None
    rows = [
        result_row("", "", SCORE, "BLEU", "", models.mean_between(low, high))
        for models in (neural, backoff)
    ]
    return replace(_difference(*rows), note=f"files of {low:.3g} to {high:.3g} MB")


def _crossing(backoff: _Models, neural: _Models) -> Measurement | None:
    """Find where the curves of the means cross, with each run's crossing and the interval."""
    found = crossing(backoff.mean, neural.mean)
    if found is None:
        return None
    runs = [crossing(*curves) for curves in zip(backoff.of_runs, neural.of_runs, strict=False)]
    places = tuple(run.value for run in runs if run is not None and not run.note)
    if found.note or len(places) < len(runs):
        counted = f"{len(places)} of {len(runs)} runs cross" if places else ""
        return Measurement(found.value, note="; ".join(filter(None, (found.note, counted))))
    mean = compare_values(places, [0.0])
    note = f"95 % interval {mean.low:.3g} to {mean.high:.3g} MB" if len(places) > 1 else ""
    return Measurement(found.value, places, note=note)


def _difference(one: Mapping[str, Any], other: Mapping[str, Any]) -> Measurement:
    """The difference of two rows, with that of their runs, and over sentences where it is known."""
    value = one["value"] - other["value"]
    runs = tuple(a - b for a, b in zip(run_values(one), run_values(other), strict=False))
    known = compared(one, other)
    return Measurement(
        value, runs, {} if known is None else {NOTHING: replace(known, difference=value)}
    )


def _at(curve: Curve, size: float) -> float:
    """The value of a curve at some size, linear over its logarithm and constant outside."""
    sizes, values = zip(*curve, strict=True)
    return float(np.interp(np.log(size), np.log(sizes), values))
