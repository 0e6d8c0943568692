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
    "runs": "BLEU of the runs",
}


def result_rows(scores: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row a system: mean, spread, gain over the baseline, p-value, runs, signature, source.

    Args:
        scores: contents of `eval/<system>.json`, each with the key `source`, its path.
    """
    means = {score["system"]: score["mean"] for score in scores}
    return [
        {
            "system": score["system"],
            "label": score["label"],
            "mean": score["mean"],
            "stdev": score["stdev"],
            "difference": score["mean"] - means[score["baseline"]]
            if score["baseline"] in means and score["baseline"] != score["system"]
            else None,
            "p_value": None if score["baseline"] == score["system"] else score["p_value"],
            "runs": list(score["bleu"]),
            "seeds": list(score["seeds"]),
            "signature": score["signature"],
            "source": score["source"],
        }
        for score in scores
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
    if column == "p_value":
        return f"{value:.3f}" if value >= 0.001 else "<0.001"
    return f"{value:.2f}"


def format_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Lay the rows out for a terminal, a header above them."""
    cells = [list(COLUMNS.values())]
    cells += [[format_cell(row, column) for column in COLUMNS] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    numeric = {"mean", "stdev", "difference", "p_value"}
    lines = []
    for row in cells:
        parts = [
            cell.rjust(width) if column in numeric else cell.ljust(width)
            for cell, width, column in zip(row, widths, COLUMNS, strict=True)
        ]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)
