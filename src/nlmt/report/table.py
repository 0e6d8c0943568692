"""Tables of results as frames, as text for the terminal, and as TSV.

An empty cell (NaN) is a number that does not exist, such as the gain of the baseline over itself.
`NOT_RUN` marks a number whose system was not run.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from nlmt.evaluation.system import AVERAGE
from nlmt.io.files import write_text
from nlmt.io.json_files import keys_of
from nlmt.report.tuned import TunedRun, gain_on_dev, mean_bleu

NOT_RUN = "not run"
NOTE, MIXED_CODE = "note", "mixed code"  # the last column of marked tables, and the mark
_GAIN = {"difference": "gain", "interval": "95 % interval", "p_value": "p"}
_SCORED = {"system": "system", "test_set": "test set", "metric": "metric"}
COLUMNS = {
    **{"system": "system", "label": "", "mean": "BLEU", "stdev": "+-"},
    **_GAIN,
    "length": "length",
    "dev": "dev",
    "dev_difference": "dev gain",
    "ter": "TER",
    "chrf": "chrF",
    "runs": "BLEU of the runs",
}
METRIC_COLUMNS = {
    **_SCORED,
    "mean": "mean",
    "stdev": "between runs",
    "sampling_stdev": "by sampling",
    "length": "length",
    **_GAIN,
}
COMPARISON_COLUMNS = {**_SCORED, "other": "against", **_GAIN}
NUMERIC = {"mean", "stdev", "sampling_stdev", "difference", "ter", "chrf"}
NUMERIC |= {"length", "dev", "dev_difference", "interval", "low", "high", "p_value"}
_ENDS = ("low", "high")  # columns of a frame for an interval
_OF_BLEU = ("mean", "stdev", "difference", *_ENDS, "p_value", "length")

Scores = Sequence[Mapping[str, Any]]


def results_table(
    scores: Scores, tuned: Mapping[str, Sequence[TunedRun]] | None = None
) -> pd.DataFrame:
    """One row per system: BLEU with spread, gain over the baseline, TER, chrF, source.

    `low` and `high` are the ends of the gain's 95 % interval, `length` is the ratio of the
    translations' length to the references', `dev` is BLEU on the tuning set. If there are several
    test sets, the average is shown.

    Args:
        scores: contents of `eval/<system>.json`, each with the key `source`, its path.
        tuned: runs of each system, with the weights' results on their tuning set.

    Returns:
        The columns of `COLUMNS` (of the interval, `low` and `high`), then `seeds`, `signature` and
        `source`; `runs` and `seeds` hold lists.

    Raises:
        InputError: scores that lack a number, as an earlier version wrote them.
    """
    rows = []
    for score in scores:
        with keys_of(score["source"]):
            rows.append(_results_row(score, tuned or {}))
    return _frame(rows, [*COLUMNS, "seeds", "signature", "source"])


def _results_row(
    score: Mapping[str, Any], tuned: Mapping[str, Sequence[TunedRun]]
) -> dict[str, Any]:
    test_sets = score["scores"]
    metrics = test_sets.get(AVERAGE) or next(iter(test_sets.values()))
    bleu = metrics["BLEU"]
    return {
        "system": score["system"],
        "label": score["label"],
        **{name: bleu[name] for name in _OF_BLEU},
        "dev": mean_bleu(tuned.get(score["system"], ())),
        "dev_difference": gain_on_dev(score["system"], score["baseline"], tuned),
        "ter": metrics["TER"]["mean"],
        "chrf": metrics["chrF"]["mean"],
        "runs": list(bleu["runs"]),
        "seeds": list(score["seeds"]),
        "signature": bleu["signature"],
        "source": score["source"],
    }


def metrics_table(scores: Scores) -> pd.DataFrame:
    """One row for each system, test set and metric.

    Returns:
        The columns of `METRIC_COLUMNS`, then `runs` (lists) and `signature`.
    """
    rows = [
        {"system": score["system"], "test_set": test_set, "metric": metric, **values}
        for score in scores
        for test_set, metrics in score["scores"].items()
        for metric, values in metrics.items()
    ]
    return _frame(rows, [*METRIC_COLUMNS, "runs", "signature"])


def comparisons_table(scores: Scores) -> pd.DataFrame:
    """One row for each system, test set, metric and system of comparison.

    Returns:
        The columns of `COMPARISON_COLUMNS`, and `p_<test>` of each further test.

    Raises:
        InputError: as in `results_table`.
    """
    rows: list[dict[str, Any]] = []
    for score in scores:
        with keys_of(score.get("source")):
            rows += (
                {
                    "system": score["system"],
                    "test_set": test_set,
                    "metric": metric,
                    "other": other,
                    **facts,
                    **{f"p_{test}": value for test, value in facts["other_tests"].items()},
                }
                for test_set, metrics in score["scores"].items()
                for metric, values in metrics.items()
                for other, facts in values.get("comparisons", {}).items()
            )
    tests = [name for row in rows[:1] for name in row if name.startswith("p_")]
    return _frame(rows, dict.fromkeys([*COMPARISON_COLUMNS, *tests]))


def row_cell(row: Mapping[str, Any], column: str) -> str:
    """The text of a row's cell; an interval has both of its ends."""
    if column != "interval":
        return format_cell(row.get(column, NOT_RUN), column)
    return "" if row.get("low") is None else f"{row['low']:+.2f} to {row['high']:+.2f}"


def format_cell(value: object, column: str) -> str:
    """The text of a cell, in the usual format of its column."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return " ".join(f"{run:.2f}" for run in value)
    if value is None or pd.isna(value):  # type: ignore[call-overload]
        return ""
    assert isinstance(value, int | float), f"{column}: {value!r}"
    if column.endswith("difference"):
        return f"{value:+.2f}"
    if column == "length":
        return f"{value:.3f}"
    if column.startswith("p_"):
        return f"{value:.3f}" if value >= 0.001 else "<0.001"
    return f"{value:.2f}"


def format_table(frame: pd.DataFrame, columns: Mapping[str, str] = COLUMNS) -> str:
    """The text of a frame for a terminal; a column that the frame lacks was not run."""
    cells = [list(columns.values())]
    cells += [[row_cell(row, column) for column in columns] for row in records(frame)]
    return align_cells(cells, [column in NUMERIC for column in columns])


def align_cells(rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
    """The text of rows, in columns two spaces apart; numeric ones end at their right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        parts = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows for JSON and templates: Python values, None for empty cells."""
    return [
        {str(key): _plain(value) for key, value in row.items()} for row in frame.to_dict("records")
    ]


def marked(frame: pd.DataFrame, warnings: Sequence[str]) -> pd.DataFrame:
    """The frame; where there are warnings about mixed code, with the mark in the note of each row.

    A frame without notes gets a column for it.
    """
    if not warnings:
        return frame
    notes = frame[NOTE] if NOTE in frame else [""] * len(frame)
    return frame.assign(**{NOTE: ["; ".join(filter(None, (note, MIXED_CODE))) for note in notes]})


def write_tsv(path: Path | str, frame: pd.DataFrame) -> None:
    """Write a frame with its column names as header and numbers in full.

    Lists are joined by spaces, empty cells are empty.
    """
    cells = frame.map(lambda value: " ".join(map(str, value)) if isinstance(value, list) else value)
    write_text(path, cells.to_csv(sep="\t", index=False, lineterminator="\n"))


def _frame(rows: Sequence[Mapping[str, Any]], columns: Iterable[str]) -> pd.DataFrame:
    stored = [name for column in columns for name in (_ENDS if column == "interval" else (column,))]
    frame = pd.DataFrame.from_records([dict(row) for row in rows]).reindex(columns=stored)
    return frame.astype({name: float for name in frame.columns if name in NUMERIC})


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return value
    return None if pd.isna(value) else value
