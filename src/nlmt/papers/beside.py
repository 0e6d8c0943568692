"""Published values beside ours: the correspondence of a paper's cells with our cells."""

import math
import re

import pandas as pd

from nlmt.papers.published import LEVELS, in_unit
from nlmt.papers.results import ALL_PAIRS, records, result_frame

_PAIR = re.compile(r"[A-Za-z]{2,3}-[A-Za-z]{2,3}")


def our_cell(row: str, column: str, unit: str, pair: str) -> tuple[str, str, str]:
    """Pair, row and column of a published cell, as our tables have them.

    A paper may have pairs as rows, as columns or as levels of either; our tables have a separate
    column for them. A row left without a name takes the column's name, a column the unit's: row
    `Class Factored`, column `fr-en` is row `Class Factored`, column `BLEU` of fr-en. A column named
    like the unit stays a column: row `fr-en`, column `tokens` is row `fr-en` of fr-en.

    `pair` is that of the table, where the cell names none.
    """
    rows, columns = row.split(LEVELS), column.split(LEVELS)
    named = [level for level in (*rows, *columns) if _PAIR.fullmatch(level)]
    rows = [level for level in rows if level not in named[:1]]
    columns = [level for level in columns if level not in named[:1]]
    pair = named[0].lower() if named else pair
    if not rows:
        rows, columns = ([pair], columns) if columns == [unit] else (columns, [])
    return pair, LEVELS.join(rows), LEVELS.join(columns) or unit


def with_published(ours: pd.DataFrame, published: pd.DataFrame, pair: str) -> pd.DataFrame:
    """Put the published value and the difference beside each of our values.

    Published cells that ours lack follow as cells that were not run. A value of no pair is put
    beside the cell of each pair.

    Args:
        ours: of `result_frame`.
        published: those of `read_published` that belong to the table.
        pair: of the paper's table, where its cells name none; `ALL_PAIRS`: they have none.

    Returns:
        A frame of `result_frame`, without differences between values of incompatible units.
    """
    rows = records(ours)
    place = {(row["pair"], row["row"], row["column"]): row for row in rows}
    texts = published[["row", "column", "unit", "note"]].itertuples(index=False)
    for (row, column, unit, note), value in zip(texts, published["value"], strict=True):
        cell = our_cell(row, column, unit, pair)
        found = [place[cell]] if cell in place else []
        if cell[0] == ALL_PAIRS:
            found = [ours_here for name, ours_here in place.items() if name[1:] == cell[1:]]
        if not found:
            names = dict(zip(("pair", "row", "column"), cell, strict=True))
            place[cell] = {**names, "unit": unit, "value": math.nan, "note": note}
            rows.append(place[cell])
            found = [place[cell]]
        for ours_here in found:
            ours_here |= {"published": value, "published_unit": unit}
            same = in_unit(value, unit, ours_here["unit"])
            if same is not None:
                ours_here["difference"] = ours_here["value"] - same
    return result_frame(rows)
