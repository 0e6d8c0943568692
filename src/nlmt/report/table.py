"""The table of systems, as rows for machines and as text for the terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

NOT_RUN = "not run"
COLUMNS = {
    "system": "system",
    "label": "",
    "mean": "BLEU",
    "stdev": "+-",
    "difference": "gain",
    "p_value": "p",
    "ter": "TER",
    "chrf": "chrF",
    "runs": "BLEU of the runs",
}
METRIC_COLUMNS = {
    "system": "system",
    "test_set": "test set",
    "metric": "metric",
    "mean": "mean",
    "stdev": "between runs",
    "sampling_stdev": "by sampling",
    "difference": "gain",
    "p_bootstrap": "p bootstrap",
    "p_randomisation": "p randomisation",
}
NUMERIC = {"mean", "stdev", "sampling_stdev", "difference", "ter", "chrf"}
NUMERIC |= {"p_value", "p_bootstrap", "p_randomisation"}
AVERAGE = "average"  # over test sets, where a system has several


def result_rows(scores: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row a system: BLEU with spread, gain over the baseline and p-value, TER, chrF, source.

    Of several test sets the average is shown.

    Args:
        scores: contents of `eval/<system>.json`, each with the key `source`, its path.
    """
    rows = []
    for score in scores:
        test_sets = score["scores"]
        metrics = test_sets.get(AVERAGE) or next(iter(test_sets.values()))
        bleu = metrics["BLEU"]
        rows.append(
            {
                "system": score["system"],
                "label": score["label"],
                "mean": bleu["mean"],
                "stdev": bleu["stdev"],
                "difference": bleu["difference"],
                "p_value": bleu["p_bootstrap"],
                "ter": metrics["TER"]["mean"],
                "chrf": metrics["chrF"]["mean"],
                "runs": list(bleu["runs"]),
                "seeds": list(score["seeds"]),
                "signature": bleu["signature"],
                "source": score["source"],
            }
        )
    return rows


def metric_rows(scores: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row for each system, test set and metric, with everything that was computed of it.

    Args:
        scores: as for `result_rows`.
    """
    return [
        {"system": score["system"], "test_set": test_set, "metric": metric, **values}
        for score in scores
        for test_set, metrics in score["scores"].items()
        for metric, values in metrics.items()
    ]


def format_cell(row: Mapping[str, Any], column: str) -> str:
    """Write one cell; a number that does not exist is empty, one that was not run says so."""
    value = row.get(column, NOT_RUN)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if column == "runs":
        return " ".join(f"{run:.2f}" for run in value)
    if column == "difference":
        return f"{value:+.2f}"
    if column.startswith("p_"):
        return f"{value:.3f}" if value >= 0.001 else "<0.001"
    return f"{value:.2f}"


def format_table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str] = COLUMNS) -> str:
    """Lay the rows out for a terminal, a header above them.

    Args:
        rows: of `result_rows` or `metric_rows`.
        columns: key of each column to its heading.
    """
    cells = [list(columns.values())]
    cells += [[format_cell(row, column) for column in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        parts = [
            cell.rjust(width) if column in NUMERIC else cell.ljust(width)
            for cell, width, column in zip(row, widths, columns, strict=True)
        ]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)
