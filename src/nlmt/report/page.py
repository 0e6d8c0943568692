"""The report of one language pair: self-contained pages, TSV and JSON."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, TypeAlias

import pandas as pd

from nlmt.evaluation.system import sign_of
from nlmt.io.files import write_text
from nlmt.io.json_files import keys_of, read_json, write_json
from nlmt.lm.places import by_model
from nlmt.report.changes import Changes
from nlmt.report.grids import grid_cells, grid_table
from nlmt.report.html import render
from nlmt.report.intervals import Interval, Picture, Scale
from nlmt.report.table import (
    COMPARISON_COLUMNS,
    NUMERIC,
    comparisons_table,
    format_cell,
    marked,
    metrics_table,
    records,
    results_table,
    row_cell,
    write_tsv,
)
from nlmt.report.tuned import TunedRun, read_columns
from nlmt.report.warnings import result_warnings

EXAMPLES = 3  # sentences of each system on the page


@dataclass(frozen=True)
class Report:
    """The content of a report.

    Attributes:
        scores: contents of each `eval/<system>.json`, with its path as `source`.
        perplexities: name of a language model to the contents of its `perplexity.json`, means over
            its runs, with their paths as `source`.
        curves: name of a neural model to the learning curve of each run, columns `epoch` and
            `dev_perplexity`.
        tuned: name of a system to what each run's weights reached on their tuning set.
        rescored: the systems that rerank the translations of another one.
        warnings: about mixed code, beside those on single results; they mark the table, too.
        changes: name of a system to the sentences that changed most against its baseline, which its
            page `side-by-side/<system>.html` has, too.
        grids: of models, as `nlmt.report.grids` has them.
    """

    title: str
    scores: Sequence[Mapping[str, Any]]
    perplexities: Mapping[str, Mapping[str, Any]]
    curves: Mapping[str, Sequence[pd.DataFrame]]
    tuned: Mapping[str, Sequence[TunedRun]] = field(default_factory=dict)
    rescored: Sequence[str] = ()
    warnings: Sequence[str] = ()
    changes: Mapping[str, Changes] = field(default_factory=dict)
    grids: Sequence[Mapping[str, Any]] = ()

    def grid_tables(self) -> dict[str, pd.DataFrame]:
        """The table of each grid, by the name of its model."""
        return {
            grid["model"]: grid_table(grid, self.perplexities, self.scores) for grid in self.grids
        }


def read_result(path: Path | str) -> dict[str, Any]:
    """Read a JSON artefact; its path becomes the key `source`."""
    content = read_json(path)
    content["source"] = str(path)
    return content


def average(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The perplexities of the runs of a model: means, and for each text the values of all runs."""
    mean: dict[str, Any] = {**runs[0], "source": ", ".join(run["source"] for run in runs)}
    for split in ("dev", "test"):
        values = {
            key: fmean(run[split][key] for run in runs)
            for key, value in runs[0][split].items()
            if isinstance(value, float)
        }
        each = [run[split]["perplexity"] for run in runs]
        mean[split] = {**runs[0][split], **values, "runs": each}
    return mean


def deviation(values: Sequence[float]) -> str:
    """The standard deviation of the values of runs, with its sign; empty of a single one."""
    return f" ±{stdev(values):.2f}" if len(values) > 1 else ""


def read_perplexities(paths: Iterable[Path | str]) -> dict[str, dict[str, Any]]:
    """Read `perplexity.json` in the folders of language models or their runs: means by model."""
    return {name: average([*map(read_result, runs)]) for name, runs in by_model(paths).items()}


def read_curves(paths: Iterable[Path | str]) -> dict[str, list[pd.DataFrame]]:
    """Read the training logs of neural models, one for each run, by model."""
    return {name: [*map(read_curve, runs)] for name, runs in by_model(paths).items()}


def read_curve(path: Path | str) -> pd.DataFrame:
    """Read `epoch` and `dev_perplexity` of a training log."""
    columns = ["epoch", "dev_perplexity"]
    return read_columns(path, columns, "learning curve", hint="train the model again")


def vocabulary_notes(perplexities: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Note on each model's vocabulary for its cells; empty if all models have the same."""
    facts = {name: one.get("vocabulary", {}) for name, one in perplexities.items()}
    if len({one.get("hash") for one in facts.values()}) <= 1:
        return dict.fromkeys(facts, "")
    return {
        name: f" (over {one['words']:,} words)" if one.get("words") else " (vocabulary unknown)"
        for name, one in facts.items()
    }


def gain_pictures(rows: Sequence[Mapping[str, Any]], metric: str = "BLEU") -> list[Picture | None]:
    """The gain of each row with its interval, on one scale; None where a row has no gain.

    The side on which the metric is better is shaded, which is below zero for TER.
    """
    least, most = (-math.inf, 0.0) if sign_of(metric) < 0 else (0.0, math.inf)
    gains = [
        None
        if row["difference"] is None
        else Interval(
            row["difference"], _number(row["low"]), _number(row["high"]), least=least, most=most
        )
        for row in rows
    ]
    scale = Scale.of([gain for gain in gains if gain is not None])
    return [None if gain is None else scale.picture([gain]) for gain in gains]


def _number(value: float | None) -> float:
    return math.nan if value is None else value


Cell: TypeAlias = tuple[dict[str, Any] | None, Picture | None]  # a row and its picture


def metrics_by_system(
    metrics: pd.DataFrame, systems: Sequence[str]
) -> dict[str, dict[str, list[Cell]]]:
    """The cells of the systems, by test set and metric; an empty one where there is no score."""
    found: dict[str, dict[str, list[Cell]]] = {}
    for (test_set, metric), frame in metrics.groupby(["test_set", "metric"], sort=False):
        rows = records(frame)
        own: dict[str, Cell] = {
            row["system"]: (row, picture)
            for row, picture in zip(rows, gain_pictures(rows, str(metric)), strict=True)
        }
        cells = [own.get(system, (None, None)) for system in systems]
        found.setdefault(str(test_set), {})[str(metric)] = cells
    return found


def write_report(
    report: Report, page: Path, tsv: Path, json_path: Path
) -> tuple[pd.DataFrame, list[str]]:
    """Write the page, and the same results as TSV and JSON; return its main table and warnings."""
    results = results_table(report.scores, report.tuned)
    warnings = [
        *report.warnings,
        *result_warnings(results, report.tuned, rescored=report.rescored),
    ]
    metrics = metrics_table(report.scores)
    comparisons = comparisons_table(report.scores)
    baselines = {score["system"]: score["baseline"] for score in report.scores}
    further = comparisons[comparisons["other"] != comparisons["system"].map(baselines)]
    rows = records(results)
    without_oov = {}
    for name, perplexity in report.perplexities.items():
        with keys_of(perplexity["source"]):
            without_oov[name] = {
                split: perplexity[split]["perplexity_without_oov"] for split in ("test", "dev")
            }
    levels = {
        f"{name}, without OOV": of_splits["dev"]
        for name, of_splits in without_oov.items()
        if name not in report.curves
    }
    from nlmt.report.figures import results_figures  # matplotlib: slow to import

    html = render(
        "page.html.jinja",
        {
            "title": report.title,
            "rows": rows,
            "pictures": gain_pictures(rows),
            "numeric": NUMERIC,
            "metrics": metrics_by_system(metrics, [row["system"] for row in rows]),
            "comparisons": records(further),
            "comparison_columns": COMPARISON_COLUMNS,
            "signatures": dict(zip(metrics["metric"], metrics["signature"], strict=True)),
            "cell": row_cell,
            "value": format_cell,
            "figures": results_figures(report.curves, levels, report.tuned),
            "warnings": warnings,
            "tuned": report.tuned,
            "perplexities": report.perplexities,
            "without_oov": without_oov,
            "deviation": deviation,
            "vocabularies": vocabulary_notes(report.perplexities),
            "changes": report.changes,
            "examples": EXAMPLES,
            "grids": {
                name: grid_cells(table.drop(columns="model"))
                for name, table in report.grid_tables().items()
            },
        },
    )
    write_text(page, html)
    write_tsv(tsv, marked(results, report.warnings))
    content = {
        "title": report.title,
        "systems": rows,
        "warnings": warnings,
        "tuning": {name: list(map(_facts, runs)) for name, runs in report.tuned.items()},
        "perplexities": report.perplexities,
    }
    write_json(json_path, content)
    return results, warnings


def write_side_by_side(path: Path | str, changes: Changes, warnings: Sequence[str] = ()) -> None:
    """Write the page of two systems, warnings first; the same input gives the same bytes."""
    title = f"{changes.names[1]} beside {changes.names[0]}"
    values = {"title": title, "changes": changes, "warnings": warnings}
    write_text(path, render("side_by_side.html.jinja", values))


def _facts(run: TunedRun) -> dict[str, Any]:
    """A run as JSON; the curve is the value of the decoder's translations by iteration."""
    curve = None if run.curve is None else run.curve["decoded"].tolist()
    return {
        "seed": run.seed,
        "tuning_set": run.tuning_set,
        "bleu": run.bleu,
        "warnings": list(run.warnings),
        "curve": curve,
    }
