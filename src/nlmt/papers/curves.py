"""Learning curves of neural models: cross-entropy of the test text against minibatches."""

import csv
import math
import statistics
from collections.abc import Iterable, Mapping
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.papers.paper import PairFiles, Table
from nlmt.papers.plots import BLUE, GREEN, ORANGE, PURPLE, pair_panels
from nlmt.papers.results import Measurement, mean_over, records, result_row
from nlmt.papers.tables import SHOWN, pair_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nlmt.experiment import Experiment

AFTER = "after {:,} minibatches"
ENTROPY = "cross-entropy"
# Minibatches from which the paper describes its curves (section 4.1), and their columns.
LATER_FROM, LATER = 20_000, "cross-entropy from minibatch 20K on"
GAP_FROM, GAP = 30_000, "mean gap from minibatch 30K on"
_STYLES = tuple(zip((BLUE, ORANGE, GREEN, PURPLE), "osD^", strict=True))


def read_curve(path: Path | str, minibatch: int) -> dict[int, float]:
    """The perplexity of the test text by number of minibatches, from the `log.tsv` of a training.

    `minibatch` is the number of tokens of one.
    """
    rows = csv.DictReader(read_lines(path), delimiter="\t")
    try:
        return {
            round(int(row["tokens"]) / minibatch): float(row["test_perplexity"]) for row in rows
        }
    except (KeyError, TypeError, ValueError) as error:
        raise InputError("no learning curve", path=path, hint="train the model again") from error


def curves_figure(title: str, models: Mapping[str, str], *, note: str) -> Table:
    """A figure of the learning curves of feed-forward models whose key `watch_test` is set."""

    def needs(experiment: "Experiment", _settings: Any, pair: str) -> PairFiles:
        of = experiment.models
        known = {
            row: name
            for row, name in models.items()
            if name in of.names() and of[name].plan.watches_test
        }
        sizes = {row: getattr(of[name].settings, "minibatch", 1) for row, name in known.items()}
        return PairFiles(
            pair,
            {
                row: [path for model in of.of_runs(name) for path in model.curve]
                for row, name in known.items()
            },
            {"minibatch": sizes, "model": known, SHOWN: list(known.values())},
        )

    return pair_table(title, needs, _rows, note=note, draw=draw_curves)


def _rows(part: PairFiles) -> list[dict[str, Any]]:
    """A cell for each evaluation, the later part of each curve, and the gap to the next curve.

    Values are means over the runs.
    """
    curves = {
        row: [read_curve(path, part.facts["minibatch"][row]) for path in paths]
        for row, paths in part.files.items()
    }
    models = part.facts["model"]
    found = []
    for row, runs in curves.items():
        points: dict[int, list[float]] = {}
        for minibatches, perplexity in chain.from_iterable(run.items() for run in runs):
            points.setdefault(minibatches, []).append(math.log(perplexity))
        for minibatches, values in sorted(points.items()):
            name = f"{row} / {AFTER.format(minibatches)}"
            found.append(
                result_row(part.pair, name, ENTROPY, "nats", models[row], mean_over(values))
            )
        later = _mean_over(later_entropy(run) for run in runs)
        found.append(result_row(part.pair, row, LATER, "nats", models[row], later))
    for one, other in pairwise(curves):
        gap = _mean_over(later_gap(*both) for both in zip(curves[one], curves[other], strict=False))
        name = f"{one} vs. {other}"
        found.append(result_row(part.pair, name, GAP, "perplexity", models[other], gap))
    return found


def later_entropy(curve: Mapping[int, float]) -> float | None:
    """The mean cross-entropy of the test text in nats from minibatch 20,000 on, if there is one."""
    return _mean(math.log(value) for place, value in curve.items() if place >= LATER_FROM)


def later_gap(one: Mapping[int, float], other: Mapping[int, float]) -> float | None:
    """By how much `other` has a lower perplexity on average, from minibatch 30,000 on, if any.

    Places count at which both are evaluated.
    """
    both = one.keys() & other.keys()
    return _mean(one[place] - other[place] for place in sorted(both) if place >= GAP_FROM)


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return statistics.fmean(found) if found else None


def _mean_over(runs: Iterable[float | None]) -> Measurement | None:
    """The mean over the runs whose curves are long enough, if there are any."""
    known = [run for run in runs if run is not None]
    return mean_over(known) if known else None


def draw_curves(frame: pd.DataFrame, figure: "Figure") -> None:
    """Draw a panel for each pair with a curve for each model."""
    frame = frame[frame["column"] == ENTROPY]
    for axes, of_pair in pair_panels(frame, figure, 5.2, 3.8, across=4):
        curves: dict[str, list[tuple[int, float]]] = {}
        for row in records(of_pair):
            model, _, after = row["row"].partition(" / ")
            minibatches = int(after.split()[1].replace(",", ""))
            curves.setdefault(model, []).append((minibatches, row["value"]))
        for number, (model, points) in enumerate(curves.items()):
            color, marker = _STYLES[number % len(_STYLES)]
            axes.plot(
                *zip(*points, strict=True), color=color, marker=marker, ms=4, lw=1.5, label=model
            )
        axes.locator_params(axis="x", nbins=4)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlabel("minibatches")
        axes.set_ylabel("cross-entropy of the test text, nats")
