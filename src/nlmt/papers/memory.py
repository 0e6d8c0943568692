"""Figure 2 of Baltescu and Blunsom (2015): BLEU of a single language model against its memory."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pandas as pd

from nlmt.evaluation.difference import compare_values
from nlmt.papers.paper import PairFiles
from nlmt.papers.plots import BLUE, GREEN, ORANGE, log_axis, pair_panels
from nlmt.papers.quantities import Quantity, model_memory, model_size
from nlmt.papers.results import Measurement, records, result_frame, result_row, run_values
from nlmt.papers.scores import score
from nlmt.papers.tables import PaperTable, quantity_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCORE, MEMORY, SIZE = "BLEU", "memory", "file size"
BACKOFF, NEURAL, EIGHT_BITS = "back-off", "neural", "neural in 8 bits"
# The paper's limit, as a share of the memory of its largest back-off model: 1 of 12 GB.
SMALL = 1 / 12
SMALL_ROW, CROSSING_ROW = "largest under 1 GB", "back-off no worse from"
# Label, colour, marker, and offset of a point's text, in points.
CURVES = (
    (BACKOFF, "back-off models", ORANGE, "s", (-6, 5)),
    (NEURAL, "neural models", BLUE, "o", (5, -11)),
    (EIGHT_BITS, "neural models, 8 bits", GREEN, "^", (-6, 5)),
)

Curve = Sequence[tuple[float, float]]  # memory and BLEU of each model, the smallest first


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
            rows += list(_derived(part.pair, frame[frame["pair"] == part.pair]))
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
                [point["memory"] for point in points],
                [point["value"] for point in points],
                [0.0 if math.isnan(point["stdev"]) else point["stdev"] for point in points],
                color=color, marker=marker, ms=5, lw=1.5, capsize=3, label=label,
            )  # fmt: skip
            for point in points if kind != EIGHT_BITS else [*points[:1], *points[1:][-1:]]:
                size = point["row"].partition(" / ")[2].removesuffix(" of the text")
                axes.annotate(
                    size.removesuffix(" of the tables"),
                    (point["memory"], point["value"]), beside, textcoords="offset points",
                    ha="right" if beside[0] < 0 else "left", fontsize=8, color=color,
                )  # fmt: skip
            for row in records(of_pair[of_pair["row"] == f"{CROSSING_ROW} / {kind}"]):
                if not row["note"].startswith("no crossing"):
                    axes.axvline(row["value"], color=color, ls=":", lw=1.2)
        log_axis(axes.xaxis)
        axes.margins(x=0.12)  # for the texts of the outermost points
        axes.set_xlabel("memory of the language model, MB")
        axes.set_ylabel("BLEU, mean and standard deviation")


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


class _Models:
    """The measured models of a kind: their points, and the curve of each run through them."""

    def __init__(self, frame: pd.DataFrame, kind: str) -> None:
        self.points = _points(frame, kind)
        runs = [run_values(point) for point in self.points]
        self.mean = self._curve([point["value"] for point in self.points])
        self.of_runs = [self._curve(scores) for scores in zip(*runs, strict=False)]

    def _curve(self, scores: Iterable[float]) -> Curve:
        memory = [point["memory"] for point in self.points]
        return list(zip(memory, scores, strict=True))

    def at(self, memory: float, note: str = "") -> Measurement:
        """Interpolated BLEU of a model of this memory."""
        runs = tuple(_at(curve, memory) for curve in self.of_runs)
        return Measurement(_at(self.mean, memory), runs, note=note)

    def name(self, place: int) -> str:
        """The name of a point."""
        return str(self.points[place]["row"].partition(" / ")[2])


def _derived(pair: str, frame: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """Models of equal memory, the gain of back-off models from text, and the crossing."""
    backoff, neural, eight_bits = (_Models(frame, kind) for kind in (BACKOFF, NEURAL, EIGHT_BITS))

    def score(row: str, measured: Measurement) -> dict[str, Any]:
        return result_row(pair, row, SCORE, "BLEU", "", measured)

    if backoff.points and neural.points:
        limit = max(SMALL * backoff.mean[-1][0], neural.mean[0][0])
        place = max(n for n, (memory, _) in enumerate(neural.mean) if memory <= limit)
        memory = neural.mean[place][0]
        small, other = neural.points[place], backoff.at(memory, f"in {memory:.3g} MB")
        yield {**small, "row": f"{NEURAL} / {SMALL_ROW}", "note": neural.name(place)}
        yield score(f"{BACKOFF} / {SMALL_ROW}", other)
        yield score("neural vs. back-off / under 1 GB", _difference(_measured(small), other))
        for row, at in zip(
            ("largest", "next to largest"), range(-1, -len(neural.points), -1), strict=False
        ):
            yield {**neural.points[at], "row": f"{NEURAL} / {row}", "note": neural.name(at)}
        lead = _difference(_measured(backoff.points[-1]), _measured(neural.points[-1]))
        yield score("back-off vs. neural / largest models", lead)
    if len(backoff.points) > 2:
        for which, place in (("first", 1), ("last", len(backoff.points) - 1)):
            note = f"from {backoff.name(place - 1)} to {backoff.name(place)}"
            after, before = (_measured(backoff.points[n]) for n in (place, place - 1))
            gain = replace(_difference(after, before), note=note)
            yield score(f"{BACKOFF} / {which} gain", gain)
    for kind, models in ((NEURAL, neural), (EIGHT_BITS, eight_bits)):
        found = _crossing(backoff, models)
        if found is not None:
            yield result_row(pair, f"{CROSSING_ROW} / {kind}", MEMORY, "MB", "", found)


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


def _measured(point: Mapping[str, Any]) -> Measurement:
    return Measurement(point["value"], tuple(run_values(point)))


def _difference(one: Measurement, other: Measurement) -> Measurement:
    """The difference of two scores, and of their runs of the same number."""
    runs = tuple(a - b for a, b in zip(one.runs, other.runs, strict=False))
    return Measurement(one.value - other.value, runs)


def _at(curve: Curve, memory: float) -> float:
    """The value of a curve at some memory, linear over its logarithm and constant outside."""
    for (left, low), (right, high) in pairwise(curve):
        if left <= memory <= right:
            share = math.log(memory / left) / math.log(right / left) if right > left else 0.0
            return low + (high - low) * share
    return curve[0][1] if memory < curve[0][0] else curve[-1][1]
