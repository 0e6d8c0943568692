"""Learning curves of neural models: cross-entropy of the test text against minibatches."""

import csv
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from nlmt.errors import InputError
from nlmt.experiment.papers import PairFiles
from nlmt.io.files import read_lines
from nlmt.papers.plots import BLUE, GREEN, ORANGE, PURPLE, style_axes
from nlmt.papers.results import (
    RESULT_COLUMNS,
    Measurement,
    records,
    result_frame,
    result_row,
)
from nlmt.papers.tables import SHOWN, PaperTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nlmt.experiment import Experiment

AFTER = "after {:,} minibatches"
ENTROPY = "cross-entropy"
# As the paper says where its curves keep their order; ours are of the later half.
LATER = "cross-entropy from minibatch 20K on"
GAP = "mean gap from minibatch 30K on"
_STYLES = tuple(zip((BLUE, ORANGE, GREEN, PURPLE), "osD^", strict=True))


@dataclass(frozen=True)
class CurvePoint:
    """One evaluation of the test text.

    Attributes:
        tokens: trained on before.
        perplexity: of the test text.
    """

    tokens: int
    perplexity: float


def read_curve(path: Path | str) -> list[CurvePoint]:
    """The evaluations of a training, from its `log.tsv`.

    Raises:
        InputError: no such file, or a damaged one; names it.
    """
    rows = csv.DictReader(read_lines(path), delimiter="\t")
    try:
        return [CurvePoint(int(row["tokens"]), float(row["test_perplexity"])) for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError("no learning curve", path=path, hint="train the model again") from error


def curves_figure(
    title: str, models: Mapping[str, str], *, pair: str, note: str = ""
) -> PaperTable:
    """The learning curves of some feed-forward models, those whose key `watch_test` is set.

    Args:
        title: what it shows.
        models: by name of the row.
        pair: language pair of the published values.
        note: what a reader has to know.
    """

    def needs(experiment: "Experiment", _settings: Any, pair: str) -> PairFiles:
        of = experiment.models
        known = {
            row: name
            for row, name in models.items()
            if name in of.names() and of.watches_test(name)
        }
        sizes = {row: getattr(of.settings(name), "minibatch", 1) for row, name in known.items()}
        return PairFiles(
            pair,
            {row: of.curve(name) for row, name in known.items()},
            {"minibatch": sizes, "model": known, SHOWN: list(known.values())},
        )

    def make(parts: Sequence[PairFiles]) -> pd.DataFrame:
        return result_frame([row for part in parts for row in _rows(part)])

    return PaperTable(
        title=title,
        needs=needs,
        make=make,
        columns=RESULT_COLUMNS,
        note=note,
        draw=draw_curves,
        pair=pair,
    )


def _rows(part: PairFiles) -> list[dict[str, Any]]:
    """A cell an evaluation, the later half of each curve, and the gap between it and the next."""
    curves = {row: read_curve(paths[0]) for row, paths in part.files.items()}
    found = []
    for row, curve in curves.items():
        model, size = part.facts["model"][row], part.facts["minibatch"][row]
        for point in curve:
            column = AFTER.format(round(point.tokens / size))
            measured = Measurement(math.log(point.perplexity))
            found.append(
                result_row(part.pair, f"{row} / {column}", ENTROPY, "nats", model, measured)
            )
        later = Measurement(later_entropy(curve))
        found.append(result_row(part.pair, row, LATER, "nats", model, later))
    for one, other in pairwise(curves):
        gap = Measurement(later_gap(curves[one], curves[other]))
        model = part.facts["model"][other]
        found.append(result_row(part.pair, f"{one} vs. {other}", GAP, "perplexity", model, gap))
    return found


def later_entropy(curve: Sequence[CurvePoint]) -> float:
    """The cross-entropy of the test text in nats, on average over the later half of a curve."""
    return _later_mean([math.log(point.perplexity) for point in curve])


def later_gap(one: Sequence[CurvePoint], other: Sequence[CurvePoint]) -> float:
    """By how much the perplexity of another model is lower, on average over the later half."""
    return _later_mean([a.perplexity - b.perplexity for a, b in zip(one, other, strict=False)])


def _later_mean(values: Sequence[float]) -> float:
    return statistics.fmean(values[len(values) // 2 :])


def draw_curves(frame: pd.DataFrame, figure: "Figure") -> None:
    """A panel for each pair, a curve for each model."""
    frame = frame[frame["value"].notna() & (frame["column"] == ENTROPY)]
    pairs = list(dict.fromkeys(frame["pair"]))
    if not pairs:
        return
    figure.set_size_inches(5.2 * len(pairs), 3.8)
    for axes, pair in zip(figure.subplots(1, len(pairs), squeeze=False)[0], pairs, strict=True):
        curves: dict[str, list[tuple[int, float]]] = {}
        for row in records(frame[frame["pair"] == pair]):
            model, _, after = row["row"].partition(" / ")
            minibatches = int(after.split()[1].replace(",", ""))
            curves.setdefault(model, []).append((minibatches, row["value"]))
        for number, (model, points) in enumerate(curves.items()):
            color, marker = _STYLES[number % len(_STYLES)]
            axes.plot(
                *zip(*points, strict=True), color=color, marker=marker, ms=4, lw=1.5, label=model
            )
        style_axes(axes)
        axes.set_title(pair, fontsize=11)
        axes.set_xlabel("minibatches")
        axes.set_ylabel("cross-entropy of the test text, nats")
        axes.legend(frameon=False)
