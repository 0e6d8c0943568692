"""Figure 2 of Baltescu and Blunsom (2015): BLEU of a single language model against its memory."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nlmt.evaluation.difference import Difference
from nlmt.papers.evidence import compared
from nlmt.papers.paper import Table
from nlmt.papers.plots import BLUE, GREEN, ORANGE, log_axis, pair_panels
from nlmt.papers.quantities import Quantity, model_memory, model_size
from nlmt.papers.results import NOTHING, Measurement, differences, records, result_row, run_values
from nlmt.papers.scores import score
from nlmt.papers.tables import quantity_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCORE, MEMORY, SIZE = "BLEU", "memory", "file size"
BACKOFF, NEURAL, EIGHT_BITS = "back-off", "neural", "neural in 8 bits"
# The paper's limit, as a share of its largest back-off model: 1 of 12 GB.
SMALL = 1 / 12
# Label, colour and marker.
CURVES = (
    (BACKOFF, "back-off models", ORANGE, "s"),
    (NEURAL, "neural models", BLUE, "o"),
    (EIGHT_BITS, "neural models, 8 bits", GREEN, "^"),
)
IN_MB = {"GB": 1000}  # units of published memory


def memory_figure(title: str, models: Mapping[str, Mapping[str, str]], *, note: str) -> Table:
    """The figure and the rows for claims.

    Models, whose systems have the same names, are by kind (`BACKOFF`, `NEURAL`, `EIGHT_BITS`), and
    by the name that follows the kind in the name of the row.
    """
    return quantity_table(
        title,
        {
            f"{kind} / {name}": _cells(kind, model)
            for kind, of_kind in models.items()
            for name, model in of_kind.items()
        },
        note=note,
        draw=draw_memory,
        extend=derived_rows,
    )


def _cells(kind: str, model: str) -> dict[str, Quantity]:
    """Cells of a model; one in 8 bits has a system of its own, whose decoder rounds the files."""
    if kind == EIGHT_BITS:
        system = f"{model}_8bit"
        return {SCORE: score(system, against=model), MEMORY: model_memory(system)}
    return {SCORE: score(model), MEMORY: model_memory(model), SIZE: model_size(model)}


def draw_memory(frame: pd.DataFrame, figure: "Figure") -> None:
    """Draw BLEU against memory in a panel per pair, and in one more what the paper's text says.

    Of neural models only the smallest and the largest are labelled.
    """
    panels = pd.concat([frame, _of_the_paper(frame)])
    for axes, of_pair in pair_panels(panels, figure, 5.2, 3.8, across=2):
        for kind, label, color, marker in CURVES:
            points = _points(of_pair, kind)
            axes.errorbar(
                [point["size"] for point in points],
                [point["value"] for point in points],
                [point["stdev"] for point in points],
                color=color, marker=marker, ms=5, lw=1.5, capsize=3, label=label,
            )  # fmt: skip
            for point in points if kind == BACKOFF else [*points[:1], *points[1:][-1:]]:
                axes.annotate(
                    _name(point).removesuffix(" of the text"),
                    (point["size"], point["value"]), (0, 6), textcoords="offset points",
                    ha="center", fontsize=8, color=color,
                )  # fmt: skip
        log_axis(axes.xaxis)
        axes.margins(0.12)  # for the texts of the outermost points
        axes.set_xlabel("memory of the language model, MB")
        axes.set_ylabel("BLEU, mean and standard deviation")


def _of_the_paper(frame: pd.DataFrame) -> pd.DataFrame:
    """The published scores and memory, in MB, as rows of pairs of their own."""
    own = frame[frame["published"].notna()]
    return own.assign(
        pair=own["pair"] + ", the paper",
        value=own["published"] * own["published_unit"].map(IN_MB).fillna(1),
        stdev=math.nan,
    )


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


def _name(point: Mapping[str, Any]) -> str:
    """The name of a model, without its kind."""
    return str(point["row"].partition(" / ")[2])


def derived_rows(pair: str, frame: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """Models of equal size, the largest models, and the gain of back-off models from text."""
    backoff, neural = (_points(frame, kind, SIZE) for kind in (BACKOFF, NEURAL))
    low, high = _small_range(backoff, neural)
    if low < high:
        lead, over = (_mean_between(points, low, high) for points in (neural, backoff))
        note = f"files of {low:.3g} to {high:.3g} MB"
        yield _lead(pair, "neural vs. back-off / under 1 GB", lead, over, note)
    backoff, neural = (_points(frame, kind) for kind in (BACKOFF, NEURAL))
    if backoff and neural:
        for row, point in zip(("largest", "next to largest"), neural[:0:-1], strict=False):
            yield {**point, "row": f"{NEURAL} / {row}", "note": _name(point)}
        yield _lead(pair, "back-off vs. neural / largest models", backoff[-1], neural[-1])
    if len(backoff) > 2:
        for which, (before, after) in (("first", backoff[:2]), ("last", backoff[-2:])):
            note = f"from {_name(before)} to {_name(after)}"
            yield _lead(pair, f"{BACKOFF} / {which} gain", after, before, note)


def _small_range(
    backoff: Sequence[Mapping[str, Any]], neural: Sequence[Mapping[str, Any]]
) -> tuple[float, float]:
    """The least and the most size of files that both kinds have; none is above the most.

    The most is the paper's limit if that is among these sizes.
    """
    if not backoff or not neural:
        return 0.0, 0.0
    low = max(points[0]["size"] for points in (backoff, neural))
    high = min(points[-1]["size"] for points in (backoff, neural))
    limit = SMALL * backoff[-1]["size"]
    return low, min(high, limit) if limit > low else high


def _mean_between(points: Sequence[Mapping[str, Any]], low: float, high: float) -> dict[str, Any]:
    """The row of the mean BLEU of models between two sizes, linear over the logarithm of size.

    It is a weighted mean over the models. The standard error of its difference from another system
    is the same mean of theirs, as if they were fully correlated, which is an upper bound.
    """
    sizes = [point["size"] for point in points]
    ends = np.log(sorted({low, high, *(size for size in sizes if low < size < high)}))
    # A model's score counts by the mean of the curve on which it has 1 and all others 0.
    hats = [np.interp(ends, np.log(sizes), one) for one in np.eye(len(sizes))]
    weights = np.trapezoid(hats, ends) / (ends[-1] - ends[0])

    def mean(values: Iterable[float]) -> float:
        return float(np.dot(weights, list(values)))

    known = [differences(point) for point in points]
    others = [name for name in known[0] if all(name in one for one in known)]
    parts = " ".join(point["part"] for point, weight in zip(points, weights, strict=True) if weight)
    measured = Measurement(
        mean(point["value"] for point in points),
        tuple(map(mean, zip(*map(run_values, points), strict=False))),
        {
            name: Difference(
                mean(one[name].difference for one in known),
                mean(one[name].deviation for one in known),
                min(one[name].freedom for one in known),
            )
            for name in others
        },
    )
    return result_row("", "", SCORE, "BLEU", parts, measured)


def _lead(
    pair: str, name: str, one: Mapping[str, Any], other: Mapping[str, Any], note: str = ""
) -> dict[str, Any]:
    """The difference of two rows, with that of their runs, and over sentences where it is known."""
    value = one["value"] - other["value"]
    runs = tuple(a - b for a, b in zip(run_values(one), run_values(other), strict=False))
    known = compared(one, other)
    of_sentences = {} if known is None else {NOTHING: replace(known, difference=value)}
    measured = Measurement(value, runs, of_sentences, note=note)
    return result_row(pair, name, SCORE, "BLEU", f"{one['part']} {other['part']}", measured)
