"""Tables whose cells are quantities by row and column."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from nlmt.papers.paper import Draw, PairFiles, Table
from nlmt.papers.published import LEVELS, read_published_table, with_published
from nlmt.papers.quantities import Quantity
from nlmt.papers.results import Measurement, records, result_frame, result_row, system_of

if TYPE_CHECKING:
    from nlmt.experiment import Experiment

SHOWN = "parts"  # in a table's facts: names of the systems and models that it shows


def quantity_table(
    title: str,
    rows: Mapping[str, Mapping[str, Quantity]],
    *,
    note: str = "",
    draw: "Draw | None" = None,
    pair: str = "",
    extend: Callable[[str, pd.DataFrame], Iterable[dict[str, Any]]] | None = None,
) -> Table:
    """A table of quantities.

    Perplexities of models with different vocabularies do not compare: cells of such columns say so.

    Rows and columns are named as in the published values; `extend` gives further rows of a pair,
    which follow from its own. The rest is as in `Table`.
    """
    cells = {(row, column): q for row, columns in rows.items() for column, q in columns.items()}

    def needs(experiment: "Experiment", _settings: Any, pair: str) -> PairFiles:
        files = {LEVELS.join(cell): one.files(experiment) for cell, one in cells.items()}
        shown = (one.part for cell, one in cells.items() if files[LEVELS.join(cell)])
        made = dict.fromkeys(map(system_of, shown))
        return PairFiles(pair, files, {SHOWN: list(filter(None, made))})

    def make(parts: Sequence[PairFiles]) -> pd.DataFrame:
        frame = result_frame(row for part in parts for row in _pair_rows(part, cells))
        if extend is None:
            return frame
        further = (extend(part.pair, frame[frame["pair"] == part.pair]) for part in parts)
        return result_frame([*records(frame), *chain.from_iterable(further)])

    return Table(title=title, needs=needs, make=make, note=note, draw=draw, pair=pair)


def pair_table(
    title: str,
    needs: "Callable[[Experiment, Any, str], PairFiles]",
    rows: Callable[[PairFiles], Iterable[dict[str, Any]]],
    *,
    note: str = "",
    draw: "Draw | None" = None,
) -> Table:
    """A table, as `quantity_table` makes it, whose rows (`result_row`) are read pair by pair."""

    def make(parts: Sequence[PairFiles]) -> pd.DataFrame:
        return result_frame(row for part in parts for row in rows(part))

    return Table(title=title, needs=needs, make=make, note=note, draw=draw)


def with_published_values(frame: pd.DataFrame, published: Path, pair: str) -> pd.DataFrame:
    """A frame with the published values beside ours, where the table's file has any.

    The pair is that of values whose cells name none (`Paper.published_pairs`).
    """
    if not published.exists():
        return frame
    return with_published(frame, read_published_table(published), pair)


def _pair_rows(
    part: PairFiles, cells: Mapping[tuple[str, str], Quantity]
) -> Iterator[dict[str, Any]]:
    """The cells of one pair, by their row and column."""
    measured: dict[tuple[str, str], Measurement | None] = {}
    for cell, quantity in cells.items():
        paths = [Path(path) for path in part.files[LEVELS.join(cell)]]
        measured[cell] = quantity.read(paths) if paths else None
    vocabularies: dict[str, set[str]] = {}
    for (_, column), one in measured.items():
        if one is not None and one.vocabulary:
            vocabularies.setdefault(column, set()).add(one.vocabulary)
    for (row, column), one in measured.items():
        quantity = cells[row, column]
        found = result_row(part.pair, row, column, quantity.unit, quantity.part, one)
        if one is not None and len(vocabularies.get(column, ())) > 1:
            words = one.vocabulary.partition(" ")[0]
            found["note"] = (
                f"compares with models of the same {words} words alone"
                if words
                else "compares with no other model: its vocabulary is not known"
            )
        yield found
