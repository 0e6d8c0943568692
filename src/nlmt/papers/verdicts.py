"""Verdicts on a paper's findings, which follow from the frames of our tables alone."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

import pandas as pd

from nlmt.errors import InputError
from nlmt.papers.claims import Cell, Claim, mean_pair
from nlmt.papers.evidence import (
    OF_SENTENCES,
    PValues,
    adjusted_p,
    is_of_one_run,
    mean_effect,
    mean_of,
    p_of,
    shows_from,
    zone_of,
)
from nlmt.papers.paper import ONE_TRAINING
from nlmt.papers.published import our_cell
from nlmt.papers.results import ALL_PAIRS, read_frame, records, run_values, system_of
from nlmt.report.table import NOTE

_COUNTS = ("compared", "measured", "holding", "opposite")
_P = ("p", "adjusted")
VERDICT_COLUMNS = (
    *("claim", "pair", "training", "verdict"),
    *_COUNTS,
    *_P,
    *("statement", "where", "metric", "relation", "published", "note"),
)
_PUBLISHED = ("published_better", "published_worse")
_OURS = (
    *("our_better", "our_worse", "difference", "low", "high", "p"),
    *("p_holds", "p_opposite", "shows_from", "least", "most"),
)
COMPARISON_COLUMNS = (
    *("claim", "pair", "training", "outcome", "table", "better", "worse", "metric"),
    *_PUBLISHED,
    "unit",
    *_OURS,
    "untrained",
    "interval_of",
)
SENTENCES_ALONE = "sentences alone"  # `interval_of` a comparison of one run


class Verdict(StrEnum):
    """The verdict of our numbers on a claim, or on one of its comparisons."""

    HOLDS = "holds"
    OTHER_SIZE = "other size"  # in the finding's direction, or none, but not of the size it names
    OPPOSITE = "opposite"
    MIXED = "mixed"
    NOT_SHOWN = "not shown at this scale"
    ONE_RUN = "not shown: one run"
    NOT_COMPARED = "not shown: no comparison over sentences"
    NOT_TRAINED = "not trained"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Compared:
    """A claim's better and worse cell in our tables.

    Attributes:
        published: the values of both cells, from another pair where the paper has none of this one;
            None where it has several.
        training: the way in which the models were trained, where there are several.
    """

    claim: Claim
    pair: str
    better: Cell
    worse: Cell
    published: tuple[float | None, float | None]
    training: str = ""


def judge_claims(
    claims: Sequence[Claim],
    tables: Mapping[str, pd.DataFrame],
    pairs: Sequence[str],
    paper_pairs: Mapping[str, str],
    trainings: Mapping[str, str] = ONE_TRAINING,
    untrained: Collection[tuple[str, str]] = (),
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge each claim by our tables, pair by pair (rules: `nlmt.papers.claim_views.RULES`).

    A claim about a pair that is also ours is judged on that pair. A claim about other pairs is
    judged on each of our pairs for which the paper has no values of the same cells. A claim whose
    models are trained in several ways has a verdict for each.

    A claim was not trained where a model of it was not, and not run where those comparisons that
    were measured hold, or none was, and others are missing. Where its comparisons neither agree nor
    contradict each other, its verdict is that of those that do not decide, if they are alike.

    Args:
        claims: of one paper.
        tables: our frames by name of the table, of `result_frame`.
        pairs: ours.
        paper_pairs: the pair of published cells that name none, by table.
        trainings: the ways in which models are trained, as a paper has them
            (`nlmt.papers.Paper`).
        untrained: pairs with systems and models that take part in no finding.

    Returns:
        Verdicts (`VERDICT_COLUMNS`), a row per claim, pair and training, and their comparisons
        (`COMPARISON_COLUMNS`); `training` is empty where a claim's cells do not depend on it.
        `published` of a verdict has `better:worse` of each comparison of the claim. `low` and
        `high` of a ratio are those of the ratio. The claim is true of differences, or ratios, from
        `least` to `most`. `untrained` names systems and models by which it was not trained.
        `interval_of` is `SENTENCES_ALONE` where there was one run.
    """
    measured = _Cells(tables)
    verdicts, comparisons = [], []
    for claim in claims:
        for pair in pairs:
            for compared in _trained(
                _of_pair(claim, pair, paper_pairs, measured), trainings, measured
            ):
                judged = [compared] if claim.mean else [[one] for one in compared]
                rows = [_compare(one, measured, untrained, len(judged)) for one in judged]
                comparisons += rows
                verdicts.append(_verdict(claim, pair, compared[0].training, rows))
    return (
        _adjusted(pd.DataFrame(verdicts, columns=list(VERDICT_COLUMNS))),
        _with_numbers(pd.DataFrame(comparisons, columns=list(COMPARISON_COLUMNS))),
    )


class _Cells:
    """The rows of all frames by pair and cell."""

    def __init__(self, tables: Mapping[str, pd.DataFrame]) -> None:
        self._rows = {
            (row["pair"], Cell(name, row["row"], row["column"])): row
            for name, frame in tables.items()
            for row in records(frame)
        }
        self._repeated = {
            (pair, row["part"])
            for (pair, _), row in self._rows.items()
            if len(run_values(row)) > 1 and row["unit"] in OF_SENTENCES
        }

    def has_runs(self, pair: str, part: str) -> bool:
        """Whether a system has several runs, of which a gain has none of its own."""
        return (pair, part) in self._repeated

    def find(self, pair: str, cell: Cell) -> dict[str, Any] | None:
        """The row of a measured cell, or of a number."""
        if cell.number is not None:
            texts = ("unit", "runs", "differences", "machine")
            return {**dict.fromkeys(texts, ""), "part": cell.row, "value": cell.number}
        # Values of no pair hold for each.
        rows = (self._rows.get((one, cell)) for one in (pair, ALL_PAIRS))
        return next((row for row in rows if row and not math.isnan(row["value"])), None)

    def reaches(self, pair: str, claim: Claim) -> bool:
        """Whether the size that a claim is about is reached."""
        if claim.judged_from is None:
            return True
        cell, least = claim.judged_from
        row = self.find(pair, cell)
        return row is not None and row["value"] >= least

    def trained(self, pair: str, cell: Cell, ending: str) -> Cell:
        """The cell of a way of training, by its column's ending; without one, the cell itself."""
        other = cell._replace(column=cell.column + ending)
        return other if (pair, other) in self._rows else cell

    def published(self, pair: str, cell: Cell) -> bool:
        """Whether the paper has a value of a cell."""
        row = self._rows.get((pair, cell))
        return row is not None and not math.isnan(row["published"])


def no_verdicts() -> pd.DataFrame:
    """The verdicts of a paper without claims."""
    return pd.DataFrame(columns=list(VERDICT_COLUMNS))


def no_comparisons() -> pd.DataFrame:
    """The comparisons of a paper without claims."""
    return pd.DataFrame(columns=list(COMPARISON_COLUMNS))


def read_verdicts(path: Path | str) -> pd.DataFrame:
    """Read verdicts that `write_frame` wrote."""
    frame = _read(path, VERDICT_COLUMNS)
    frame[list(_P)] = frame[list(_P)].apply(pd.to_numeric)
    return frame.astype(dict.fromkeys(_COUNTS, int))


def read_comparisons(path: Path | str) -> pd.DataFrame:
    """Read comparisons that `write_frame` wrote."""
    return _with_numbers(_read(path, COMPARISON_COLUMNS))


def _with_numbers(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Comparisons with texts converted to numbers; an empty text and None are NaN."""
    for column in (*_PUBLISHED, *_OURS):
        comparisons[column] = pd.to_numeric(comparisons[column])
    for column in ("unit", "untrained", "interval_of"):
        comparisons[column] = comparisons[column].astype(object).fillna("")
    return comparisons


def _read(path: Path | str, columns: Sequence[str]) -> pd.DataFrame:
    frame = read_frame(path)
    if tuple(frame.columns) not in (tuple(columns), (*columns, NOTE)):
        hint = "make it again"
        raise InputError(f"the columns must be {', '.join(columns)}", path=path, hint=hint)
    return frame[list(columns)]


def _of_pair(
    claim: Claim, pair: str, paper_pairs: Mapping[str, str], measured: _Cells
) -> list[Compared]:
    """The claim's comparisons on one of our pairs."""

    def located(cell: Cell) -> tuple[str, Cell]:
        if cell.number is not None:
            return "", cell
        where, row, column = our_cell(
            cell.row, cell.column, claim.metric, paper_pairs.get(cell.table, "")
        )
        return where, Cell(cell.table, row, column)

    own = []
    others: dict[tuple[Cell, Cell], set[tuple[float | None, float | None]]] = {}
    for one, other, published in zip(claim.better, claim.worse, claim.published, strict=True):
        (where, better), (_, worse) = located(one), located(other)
        if where == pair:
            own.append(Compared(claim, pair, better, worse, published))
        others.setdefault((better, worse), set()).add(published)
    # If the paper has these cells for this pair, too, it chose not to claim so.
    return own or [
        Compared(claim, pair, *cells, values.pop() if len(values) == 1 else (None, None))
        for cells, values in others.items()
        if not all(measured.published(pair, cell) for cell in cells)
    ]


def _trained(
    compared: Sequence[Compared], trainings: Mapping[str, str], measured: _Cells
) -> list[list[Compared]]:
    """The comparisons for each way of training for which their cells exist."""
    found: dict[str, list[Compared]] = {}
    for name, ending in trainings.items():
        own = [
            replace(
                one,
                better=measured.trained(one.pair, one.better, ending),
                worse=measured.trained(one.pair, one.worse, ending),
            )
            for one in compared
        ]
        if own and own not in found.values():
            found[name] = own
    if len(found) < 2:
        return list(found.values())
    return [[replace(one, training=name) for one in own] for name, own in found.items()]


def _compare(
    together: Sequence[Compared],
    measured: _Cells,
    untrained: Collection[tuple[str, str]],
    count: int,
) -> dict[str, Any]:
    """The row of one comparison, or the mean of several, with its outcome.

    `count` is the number of those that are judged with it.
    """
    first = together[0]
    claim, pair = first.claim, first.pair
    found = [(measured.find(pair, one.better), measured.find(pair, one.worse)) for one in together]
    published = mean_pair([one.published for one in together])
    row: dict[str, Any] = {
        "claim": claim.name,
        "pair": pair,
        "training": first.training,
        "outcome": Verdict.NOT_RUN,
        "table": first.better.table,
        "better": _names(one.better for one in together),
        "worse": _names(one.worse for one in together),
        "metric": claim.metric,
        "published_better": published[0],
        "published_worse": published[1],
    }
    sides = [(better, worse) for better, worse in found if better and worse]
    if len(sides) < len(found) or not measured.reaches(pair, claim):
        return row
    effect = mean_effect(claim, sides)
    zone = zone_of(claim, *sides[0])
    unit = sides[0][0]["unit"]
    ours = [fmean(map(mean_of, values)) for values in zip(*sides, strict=True)]
    row |= {
        "unit": unit,
        "our_better": ours[0],
        "our_worse": ours[1],
        "difference": ours[0] - ours[1],
    }
    row["least"], row["most"] = zone
    parts = dict.fromkeys(
        system_of(part) for one in chain.from_iterable(sides) for part in one["part"].split()
    )
    row["untrained"] = " ".join(part for part in parts if (pair, part) in untrained)
    if effect is None:
        row["outcome"] = Verdict.NOT_COMPARED if unit in OF_SENTENCES else Verdict.ONE_RUN
    else:
        p = p_of(claim, effect, zone, count)
        row["outcome"] = _outcome(claim, p)
        if effect.deviation > 0:
            scale = math.exp if claim.is_ratio else float
            alone = all(
                is_of_one_run(effect, *side) and not measured.has_runs(pair, side[0]["part"])
                for side in sides
            )
            row |= {
                "low": scale(effect.low),
                "high": scale(effect.high),
                "p": math.nan if claim.is_ratio else effect.p_value,
                "p_holds": p.holds,
                "p_opposite": p.opposite,
                "shows_from": shows_from(claim, effect, zone),
                "interval_of": SENTENCES_ALONE if alone else "",
            }
    if row["untrained"]:
        row["outcome"] = Verdict.NOT_TRAINED
    return row


def _outcome(claim: Claim, p: PValues) -> Verdict:
    """The outcome of a comparison by its p-values."""
    if p.holds < claim.level:
        return Verdict.HOLDS
    if p.opposite < claim.level:
        return Verdict.OPPOSITE
    return Verdict.OTHER_SIZE if claim.names_size and p.outside < claim.level else Verdict.NOT_SHOWN


def _verdict(
    claim: Claim, pair: str, training: str, rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The verdict of a claim on a pair, from the outcomes of its comparisons."""
    outcomes = [row["outcome"] for row in rows]
    holding, opposite = outcomes.count(Verdict.HOLDS), outcomes.count(Verdict.OPPOSITE)
    measured = len(outcomes) - outcomes.count(Verdict.NOT_RUN)
    if Verdict.NOT_TRAINED in outcomes:
        verdict = Verdict.NOT_TRAINED
    elif holding and opposite:
        verdict = Verdict.MIXED
    elif not measured or (holding == measured and measured < len(outcomes)):
        verdict = Verdict.NOT_RUN
    elif measured in (holding, opposite):
        verdict = Verdict.HOLDS if holding else Verdict.OPPOSITE
    else:
        undecided = set(outcomes) - {Verdict.HOLDS, Verdict.OPPOSITE, Verdict.NOT_RUN}
        verdict = undecided.pop() if len(undecided) == 1 else Verdict.NOT_SHOWN
    judged = verdict not in (Verdict.NOT_RUN, Verdict.NOT_TRAINED)
    known = [row["p_holds"] for row in rows if "p_holds" in row]
    judged &= len(known) == measured
    return {
        "claim": claim.name,
        "pair": pair,
        "training": training,
        "verdict": verdict,
        "compared": len(outcomes),
        "measured": measured,
        "holding": holding,
        "opposite": opposite,
        "p": max(known) if judged else math.nan,
        "statement": claim.statement,
        "where": claim.where,
        "metric": claim.metric,
        "relation": claim.relation,
        "published": " ".join(
            f"{better!r}:{worse!r}"
            for better, worse in ([mean_pair(claim.published)] if claim.mean else claim.published)
            if better is not None and worse is not None
        ),
        "note": claim.note,
    }


def _adjusted(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Verdicts with the p-values of each pair and training adjusted for their number.

    A claim that does not depend on the training is among those of each, and has the larger p.
    """
    largest: dict[int, float] = {}
    for _, known in verdicts[verdicts["p"].notna()].groupby("pair"):
        for training in set(filter(None, known["training"])) or {""}:
            own = known[known["training"].isin(["", training])]
            for place, p in zip(own.index, adjusted_p(own["p"].tolist()), strict=True):
                largest[place] = max(p, largest.get(place, 0.0))
    return verdicts.assign(adjusted=pd.Series(largest, dtype=float))


def _names(cells: Iterable[Cell]) -> str:
    """Row and column of cells, or numbers, in words."""
    names = [f"{one.row}, {one.column}" if one.table else one.row for one in dict.fromkeys(cells)]
    return names[0] if len(names) == 1 else f"mean of {'; '.join(names)}"
