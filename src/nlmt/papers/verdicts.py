"""Verdicts on a paper's findings, which follow from the frames of our tables alone."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from statistics import fmean
from typing import Any

import pandas as pd

from nlmt.errors import InputError
from nlmt.evaluation.difference import SIGNIFICANT
from nlmt.papers.beside import our_cell
from nlmt.papers.claims import RATIOS, Cell, Claim, Relation
from nlmt.papers.paper import ONE_TRAINING
from nlmt.papers.results import (
    ALL_PAIRS,
    critical_differences,
    p_values,
    read_frame,
    records,
    run_values,
)
from nlmt.papers.student import half_width, paired_half_width

_COUNTS = ("compared", "measured", "holding", "opposite")
VERDICT_COLUMNS = (
    *("claim", "pair", "training", "verdict"),
    *_COUNTS,
    *("statement", "where", "metric", "relation", "published", "note"),
)
_NUMBERS = ("published_better", "published_worse")
_OUR_NUMBERS = ("our_better", "our_worse", "difference", "low", "high", "p", "shows_from")
COMPARISON_COLUMNS = (
    *("claim", "pair", "training", "outcome", "table", "better", "worse", "metric"),
    *_NUMBERS,
    "unit",
    *_OUR_NUMBERS,
)


Interval = tuple[float, float]


class Verdict(StrEnum):
    """The verdict of our numbers on a claim, or on one of its comparisons."""

    HOLDS = "holds"
    OPPOSITE = "opposite"
    NOT_SHOWN = "not shown at this scale"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Compared:
    """A claim's better and worse cell in our tables.

    Attributes:
        claim: the claim.
        pair: language pair.
        training: the way in which the models were trained, where there are several.
        cells: table, row and column of the better and the worse cell.
        published: their published values, from another pair where the paper has none of this one;
            None where it has several.
    """

    claim: Claim
    pair: str
    training: str
    cells: tuple[Cell, Cell]
    published: tuple[float | None, float | None]


def judge_claims(
    claims: Sequence[Claim],
    tables: Mapping[str, pd.DataFrame],
    pairs: Sequence[str],
    paper_pairs: Mapping[str, str],
    trainings: Mapping[str, str] = ONE_TRAINING,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge each claim by our tables, pair by pair.

    A claim about a pair that is also ours is judged on that pair. A claim about other pairs is
    judged on each of our pairs for which the paper has no values of the same cells. A claim whose
    models are trained in several ways has a verdict for each.

    In a comparison of `better` with `worse`, both with several runs, values are the means of the
    runs, also for times, and the interval of the difference is Welch's, or that of the runs'
    differences where both belong to one system; p is that of the two systems or models, where they
    were compared:

    - `higher`, `lower`: it holds where the 95 % interval lies on the claim's side of zero and p is
      below 0.05, and is opposite where the interval lies on the other side and p is below 0.05.
      Without one of interval and p the other decides, without both the difference.
    - `equal`: it holds where the 90 % interval lies within the tolerance (two one-sided tests at
      5 %), and is opposite where the 95 % interval lies outside of it and p is below 0.05.
    - `no-higher`: it holds where the 90 % interval ends below the tolerance (one one-sided test at
      5 %), and is opposite where the 95 % interval begins above it and p is below 0.05.
    - `ratio`: it holds where the 90 % interval of worse / better, over the logarithms of the runs,
      lies within the tolerance of the factor, and is opposite where the 95 % interval lies below 1
      and the factor above, or the reverse.
    - `ratio-above`: it holds where the 95 % interval of that ratio begins above the factor, and is
      opposite where it lies below 1.

    A claim holds where all of its comparisons do; it is opposite where one of them is and none
    holds; it was not run where none was measured, or where those measured hold and others are
    missing.

    Args:
        claims: of one paper.
        tables: our frames by name of the table, of `result_frame`.
        pairs: ours.
        paper_pairs: the pair of published cells that name none, by table.
        trainings: the ways in which models are trained, as a paper has them
            (`nlmt.papers.Paper`).

    Returns:
        Verdicts (`VERDICT_COLUMNS`), a row per claim, pair and training, and their comparisons
        (`COMPARISON_COLUMNS`); `training` is empty where a claim's cells do not depend on it.
        `published` of a verdict has `better:worse` of each comparison of the claim. `shows_from` of
        a comparison is the power of the design: the size from which a difference decides the
        verdict, or the least tolerance at which `equal` and `no-higher` could be shown; `low` and
        `high` of a ratio are those of the ratio.
    """
    measured = _Cells(tables)
    verdicts, comparisons = [], []
    for claim in claims:
        for pair in pairs:
            for compared in _trained(
                _of_pair(claim, pair, paper_pairs, measured), trainings, measured
            ):
                rows = [_compare(one, measured) for one in compared]
                comparisons += rows
                verdicts.append(_verdict(claim, pair, compared[0].training, rows))
    return (
        pd.DataFrame(verdicts, columns=list(VERDICT_COLUMNS)),
        _with_numbers(pd.DataFrame(comparisons, columns=list(COMPARISON_COLUMNS))),
    )


class _Cells:
    """The rows of all frames by table, pair, row and column."""

    def __init__(self, tables: Mapping[str, pd.DataFrame]) -> None:
        self._rows = {
            (name, row["pair"], row["row"], row["column"]): row
            for name, frame in tables.items()
            for row in records(frame)
        }

    def find(self, pair: str, cell: Cell) -> dict[str, Any] | None:
        """The row of a measured cell."""
        pairs = (pair, ALL_PAIRS)  # values of no pair hold for each
        rows = (self._rows.get((cell.table, one, cell.row, cell.column)) for one in pairs)
        return next((row for row in rows if row and not math.isnan(row["value"])), None)

    def known(self, pair: str, cell: Cell) -> bool:
        """Whether a table has a cell, measured or not."""
        return (cell.table, pair, cell.row, cell.column) in self._rows

    def published(self, pair: str, cell: Cell) -> bool:
        """Whether the paper has a value of a cell."""
        row = self._rows.get((cell.table, pair, cell.row, cell.column))
        return row is not None and not math.isnan(row["published"])


def no_verdicts() -> pd.DataFrame:
    """The verdicts of a paper without claims."""
    return pd.DataFrame(columns=list(VERDICT_COLUMNS))


def no_comparisons() -> pd.DataFrame:
    """The comparisons of a paper without claims."""
    return pd.DataFrame(columns=list(COMPARISON_COLUMNS))


def read_verdicts(path: Path | str) -> pd.DataFrame:
    """Read verdicts that `write_frame` wrote.

    Raises:
        InputError: no such file, or a damaged one; names it.
    """
    frame = _read(path, VERDICT_COLUMNS)
    return frame.astype(dict.fromkeys(_COUNTS, int))


def read_comparisons(path: Path | str) -> pd.DataFrame:
    """Read comparisons that `write_frame` wrote.

    Raises:
        InputError: no such file, or a damaged one; names it.
    """
    return _with_numbers(_read(path, COMPARISON_COLUMNS))


def _with_numbers(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Comparisons with texts converted to numbers; an empty text and None are NaN."""
    for column in (*_NUMBERS, *_OUR_NUMBERS):
        comparisons[column] = pd.to_numeric(comparisons[column].replace({None: math.nan}))
    comparisons["unit"] = comparisons["unit"].astype(object).fillna("")
    return comparisons


def _read(path: Path | str, columns: Sequence[str]) -> pd.DataFrame:
    frame = read_frame(path)
    if tuple(frame.columns) != tuple(columns):
        hint = "make it again"
        raise InputError(f"the columns must be {', '.join(columns)}", path=path, hint=hint)
    return frame


def _of_pair(
    claim: Claim, pair: str, paper_pairs: Mapping[str, str], measured: _Cells
) -> list[Compared]:
    """The claim's comparisons on one of our pairs."""

    def located(cell: Cell) -> tuple[str, Cell]:
        where, row, column = our_cell(
            cell.row, cell.column, claim.metric, paper_pairs.get(cell.table, "")
        )
        return where, Cell(cell.table, row, column)

    found = [
        (located(better), located(worse), published)
        for better, worse, published in zip(claim.better, claim.worse, claim.published, strict=True)
    ]
    own = [
        Compared(claim, pair, "", (better[1], worse[1]), published)
        for better, worse, published in found
        if better[0] == pair
    ]
    if own:
        return own
    # If the paper has these cells for this pair, too, it chose not to claim so.
    others: dict[tuple[Cell, Cell], set[tuple[float | None, float | None]]] = {}
    for better, worse, published in found:
        others.setdefault((better[1], worse[1]), set()).add(published)
    return [
        Compared(claim, pair, "", cells, values.pop() if len(values) == 1 else (None, None))
        for cells, values in others.items()
        if not all(measured.published(pair, cell) for cell in cells)
    ]


def _trained(
    compared: Sequence[Compared], trainings: Mapping[str, str], measured: _Cells
) -> list[list[Compared]]:
    """The comparisons for each way of training for which their cells exist."""
    if not compared:
        return []

    def cell_of(pair: str, cell: Cell, ending: str) -> Cell:
        other = cell._replace(column=cell.column + ending)
        return other if measured.known(pair, other) else cell

    found: dict[str, list[tuple[Cell, Cell]]] = {}
    for name, ending in trainings.items():
        cells = [
            (cell_of(one.pair, one.cells[0], ending), cell_of(one.pair, one.cells[1], ending))
            for one in compared
        ]
        if cells not in found.values():
            found[name] = cells
    return [
        [
            replace(one, training=name if len(found) > 1 else "", cells=own)
            for one, own in zip(compared, cells, strict=True)
        ]
        for name, cells in found.items()
    ]


def _compare(compared: Compared, measured: _Cells) -> dict[str, Any]:
    """The row of one comparison with its outcome."""
    claim = compared.claim
    better, worse = (measured.find(compared.pair, cell) for cell in compared.cells)
    row: dict[str, Any] = {
        "claim": claim.name,
        "pair": compared.pair,
        "training": compared.training,
        "outcome": Verdict.NOT_RUN,
        "table": compared.cells[0].table,
        "better": _name(compared.cells[0]),
        "worse": _name(compared.cells[1]),
        "metric": claim.metric,
        "published_better": compared.published[0],
        "published_worse": compared.published[1],
    }
    if better is None or worse is None:
        return row
    runs = run_values(better), run_values(worse)
    values = _mean(better), _mean(worse)
    # Searches of one system share lattices and weights in each run.
    paired = better["part"] == worse["part"] and len(runs[0]) == len(runs[1])
    wide = _interval(claim, values, runs, 0.975, paired=paired)
    narrow = _interval(claim, values, runs, 0.95, paired=paired)
    critical = _between(better, worse, critical_differences)
    row |= {
        "unit": better["unit"],
        "our_better": values[0],
        "our_worse": values[1],
        "difference": values[0] - values[1],
        "low": math.nan if wide is None else wide[0],
        "high": math.nan if wide is None else wide[1],
        "p": _between(better, worse, p_values),
        "shows_from": _shows_from(claim, wide, narrow, critical),
    }
    row["outcome"] = _outcome(claim, row, wide, narrow)
    return row


def _mean(row: Mapping[str, Any]) -> float:
    """The mean of the runs of a row, also of times, whose value is the least."""
    runs = run_values(row)
    return fmean(runs) if runs else float(row["value"])


def _interval(
    claim: Claim,
    values: tuple[float, float],
    runs: tuple[Sequence[float], Sequence[float]],
    quantile: float,
    *,
    paired: bool,
) -> Interval | None:
    """The interval of the difference, or of the ratio; None for single runs."""
    width = paired_half_width if paired else half_width
    better, worse = values
    if claim.relation in RATIOS:
        logs = [math.log(value) for value in runs[0]], [math.log(value) for value in runs[1]]
        half, middle = width(*logs, quantile=quantile), math.log(worse / better)
        return None if half is None else (math.exp(middle - half), math.exp(middle + half))
    half = width(*runs, quantile=quantile)
    return None if half is None else (better - worse - half, better - worse + half)


def _between(
    better: Mapping[str, Any],
    worse: Mapping[str, Any],
    values: Callable[[Mapping[str, Any]], dict[str, float]],
) -> float:
    """The value of one of two rows for the other row's system; NaN where neither has one."""
    return values(better).get(worse["part"], values(worse).get(better["part"], math.nan))


def _shows_from(
    claim: Claim, wide: Interval | None, narrow: Interval | None, critical: float
) -> float:
    """The least difference that shows: larger than the interval over runs, and with p < 0.05.

    A true difference of this size shows in about half of all repetitions of the experiment. For
    `equal` and `no-higher`, the least tolerance at which they could be shown; none for a ratio.
    """
    if claim.relation in RATIOS:
        return math.nan
    half = None if wide is None else (wide[1] - wide[0]) / 2
    if claim.relation in (Relation.EQUAL, Relation.NO_HIGHER):
        return math.nan if narrow is None else (narrow[1] - narrow[0]) / 2
    known = [size for size in (half, critical) if size is not None and not math.isnan(size)]
    return max(known, default=math.nan)


def _outcome(
    claim: Claim, row: Mapping[str, Any], wide: Interval | None, narrow: Interval | None
) -> Verdict:
    """The verdict of one comparison."""
    better, worse = row["our_better"], row["our_worse"]
    value = worse / better if claim.relation in RATIOS else row["difference"]
    low, high = wide or (value, value)
    least, most = narrow or (value, value)
    sure = math.isnan(row["p"]) or row["p"] < SIGNIFICANT
    if claim.relation in (Relation.HIGHER, Relation.LOWER):
        if claim.relation is Relation.LOWER:
            low, high = -high, -low
        if low > 0 and sure:
            return Verdict.HOLDS
        return Verdict.OPPOSITE if high < 0 and sure else Verdict.NOT_SHOWN
    if claim.relation in (Relation.EQUAL, Relation.NO_HIGHER):
        tolerance = _tolerance(claim, row) + 1e-9  # values as printed differ in the last bits
        lowest = -tolerance if claim.relation is Relation.EQUAL else -math.inf
        if lowest <= least and most <= tolerance:
            return Verdict.HOLDS
        outside = low > tolerance or high < lowest
        return Verdict.OPPOSITE if outside and sure else Verdict.NOT_SHOWN
    assert claim.factor is not None
    if claim.relation is Relation.RATIO_ABOVE:
        if low > claim.factor:
            return Verdict.HOLDS
        return Verdict.OPPOSITE if high < 1 else Verdict.NOT_SHOWN
    assert claim.tolerance is not None
    if claim.factor * (1 - claim.tolerance) <= least and most <= claim.factor * (
        1 + claim.tolerance
    ):
        return Verdict.HOLDS
    reverse = high < 1 if claim.factor > 1 else low > 1
    return Verdict.OPPOSITE if reverse else Verdict.NOT_SHOWN


def _tolerance(claim: Claim, row: Mapping[str, Any]) -> float:
    """The tolerance in our unit; if that is not the paper's, the same share of the value."""
    assert claim.tolerance is not None
    if row["unit"] == claim.metric:
        return claim.tolerance
    values = [value for pair in claim.published for value in pair if value is not None]
    return claim.tolerance * abs(float(row["our_worse"])) / (sum(values) / len(values))


def _verdict(
    claim: Claim, pair: str, training: str, rows: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """The verdict of a claim on a pair, from the outcomes of its comparisons."""
    outcomes = [row["outcome"] for row in rows]
    holding, opposite = outcomes.count(Verdict.HOLDS), outcomes.count(Verdict.OPPOSITE)
    measured = len(outcomes) - outcomes.count(Verdict.NOT_RUN)
    if opposite and not holding:
        verdict = Verdict.OPPOSITE
    elif holding == measured and (not measured or measured < len(outcomes)):
        verdict = Verdict.NOT_RUN
    else:
        verdict = Verdict.HOLDS if holding == measured else Verdict.NOT_SHOWN
    return {
        "claim": claim.name,
        "pair": pair,
        "training": training,
        "verdict": verdict,
        "compared": len(outcomes),
        "measured": measured,
        "holding": holding,
        "opposite": opposite,
        "statement": claim.statement,
        "where": claim.where,
        "metric": claim.metric,
        "relation": claim.relation,
        "published": " ".join(
            f"{better!r}:{worse!r}"
            for better, worse in claim.published
            if better is not None and worse is not None
        ),
        "note": claim.note,
    }


def _name(cell: Cell) -> str:
    """Row and column of a cell, in words."""
    return f"{cell.row}, {cell.column}"
