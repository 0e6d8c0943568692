"""The table of a grid: perplexities and BLEU at each combination of its values."""

from collections.abc import Mapping, Sequence
from statistics import stdev
from typing import Any

import pandas as pd

from nlmt.report.table import align_cells, format_cell, records

BEST = "best"  # column with a mark at the lowest dev perplexity
SPREAD = "+-"  # end of the names of standard deviations
_MARK = "*"
_KINDS = {"gain": "difference"}  # formats by the end of a column's name


def grid_table(
    grid: Mapping[str, Any],
    perplexities: Mapping[str, Mapping[str, Any]],
    scores: Sequence[Mapping[str, Any]],
) -> pd.DataFrame:
    """A row for each point of a grid.

    Args:
        grid: `points`, each with `values` and `model`; `systems`, the system at each point by the
            name without it.
        perplexities: of models by name, means over runs and the values of all `runs`.
        scores: contents of `eval/<system>.json`.

    Returns:
        The values, `model`, `best`, dev and test perplexity, then BLEU and gain of each system on
        its first test set; each mean over runs before its standard deviation.
    """
    of_systems = {score["system"]: score["scores"] for score in scores}
    rows = []
    for position, point in enumerate(grid["points"]):
        row: dict[str, Any] = {key: str(value) for key, value in point["values"].items()}
        row |= {"model": point["model"], BEST: ""}
        for split in ("dev", "test"):
            found = perplexities[point["model"]][split]
            row[f"{split} perplexity"] = found["perplexity"]
            row[f"{split} {SPREAD}"] = stdev(found["runs"]) if len(found["runs"]) > 1 else None
        for name, systems in grid["systems"].items():
            bleu = next(iter(of_systems[systems[position]].values()))["BLEU"]
            row |= {f"{name} BLEU": bleu["mean"], f"{name} {SPREAD}": bleu["stdev"]}
            row[f"{name} gain"] = bleu["difference"]
        rows.append(row)
    frame = pd.DataFrame(rows)
    frame.loc[frame["dev perplexity"].idxmin(), BEST] = _MARK
    return frame


def grid_cells(frame: pd.DataFrame) -> list[list[str]]:
    """The headings, then the cells of each row, as text."""
    headings = [SPREAD if name.endswith(SPREAD) else str(name) for name in frame.columns]
    rows = [
        [format_cell(value, _KINDS.get(name.split()[-1], name)) for name, value in row.items()]
        for row in records(frame)
    ]
    return [headings, *rows]


def grid_text(frame: pd.DataFrame) -> str:
    """The text of a table for a terminal."""
    return align_cells(grid_cells(frame), [name != "model" for name in frame.columns])
