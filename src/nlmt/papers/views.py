"""What templates show of frames: cells as text, in the order of rows, columns and pairs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from nlmt.papers.numbers import deviation, number, probability
from nlmt.papers.overview import MEASURES, METRIC
from nlmt.papers.results import ALL_PAIRS, NOT_RUN, records
from nlmt.papers.verdicts import Verdict

_STYLES = {
    Verdict.HOLDS: "holds",
    Verdict.OPPOSITE: "opposite",
    Verdict.NOT_SHOWN: "",
    Verdict.NOT_RUN: "missing",
}
_PLURAL = {**{verdict: verdict.value for verdict in Verdict}, Verdict.HOLDS: "hold"}
RULES = (
    "Verdicts follow from the numbers alone. A difference holds where its 95 % interval over runs "
    "(Welch; of searches of one system, run by run) lies on the claim's side of zero and, between "
    "systems, p is below 0.05 (two-sided approximate randomisation over sentences and runs, Clark "
    "et al. 2011); equality where the 90 % interval lies within the claim's tolerance; a factor "
    "where the 90 % interval of the ratio is within its tolerance. A claim with several "
    "comparisons holds where all do, and is opposite where one is and none holds. Perplexities of "
    "single models are judged by p over sentences alone, other values without repetition by their "
    "difference. Runs are tuning runs, or repetitions of a time: of each model one network is "
    "trained, and an interval does not say how much another one would differ. Times are compared "
    'by their means. "Shows from" is the power of the design: a true difference of that size '
    "decides a verdict in about half of all repetitions, a smaller one more seldom; of equality, "
    "it is the least tolerance that could be shown."
)


@dataclass(frozen=True)
class Chip:
    """A verdict as the page shows it."""

    text: str
    style: str


def chip(verdict: str) -> Chip:
    """A verdict and its style."""
    return Chip(verdict, _STYLES[Verdict(verdict)])


@dataclass(frozen=True)
class Column:
    """A column of a table: ours and, where the paper has one, the published value beside it."""

    name: str
    unit: str
    has_published: bool
    has_difference: bool

    @property
    def shown_unit(self) -> str:
        """The unit, unless the name says it."""
        return "" if self.unit.lower() in self.name.lower() else self.unit

    @property
    def width(self) -> int:
        """Columns of the page that it takes."""
        return 1 + self.has_published + self.has_difference


@dataclass(frozen=True)
class CellView:
    """One cell: texts, empty where there is nothing to show."""

    column: Column
    ours: str = ""
    spread: str = ""
    p: str = ""
    note: str = ""
    published: str = ""
    difference: str = ""


@dataclass(frozen=True)
class RowView:
    """One row of a table."""

    name: str
    cells: list[CellView]


@dataclass(frozen=True)
class Group:
    """The rows of one language pair.

    Attributes:
        ours: whether it is a pair of this experiment.
    """

    pair: str
    ours: bool
    rows: list[RowView]


@dataclass(frozen=True)
class TableView:
    """A table of a page.

    Attributes:
        name: that of its file.
        title: heading.
        note: what a reader has to know.
        columns: of tables of `result_frame`.
        groups: rows of these by pair.
        headings: of other frames, which are shown as they are.
        frame: values of these as text; None for tables of `result_frame`.
        figure: an `<svg>` element; empty: none.
        target: what to ask Snakemake for.
        files: addresses of its files, as seen from the page.
        parts: the systems and models that it shows.
        facts: how it was made: seeds, signatures, machines, run time, versions.
        configuration: of these systems and models, as YAML.
    """

    name: str
    title: str
    note: str
    columns: list[Column] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    frame: list[list[str]] | None = None
    figure: str = ""
    target: str = ""
    files: list[str] = field(default_factory=list)
    parts: str = ""
    facts: Sequence[str] = ()
    configuration: str = ""
    corner: str = ""

    @property
    def width(self) -> int:
        """Columns of the page, that of the rows' names among them."""
        return 1 + sum(column.width for column in self.columns)


def columns_of(frame: pd.DataFrame) -> list[Column]:
    """The columns of a table, in their order in the frame."""
    columns = []
    for name, cells in frame.groupby("column", sort=False):
        measured = cells[cells["value"].notna()]
        units = measured["unit"] if len(measured) else cells["unit"]
        columns.append(
            Column(
                str(name),
                str(units.iloc[0]),
                bool(cells["published"].notna().any()),
                bool(cells["difference"].notna().any()),
            )
        )
    return columns


def groups_of(frame: pd.DataFrame, columns: Sequence[Column], pairs: Sequence[str]) -> list[Group]:
    """The rows of a table by pair, ours first."""
    cells = {(row["pair"], row["row"], row["column"]): row for row in records(frame)}
    pairs = [*pairs, ALL_PAIRS]
    order = [*pairs, *(pair for pair in dict.fromkeys(frame["pair"]) if pair not in pairs)]
    groups = []
    for pair in order:
        names = dict.fromkeys(frame[frame["pair"] == pair]["row"])
        rows = [
            RowView(
                name,
                [cell_view(column, cells.get((pair, name, column.name))) for column in columns],
            )
            for name in names
        ]
        if rows:
            groups.append(Group(pair, pair in pairs, rows))
    return groups


def cell_view(column: Column, row: Mapping[str, Any] | None) -> CellView:
    """The texts of a cell; None: neither ours nor the paper has it."""
    if row is None:
        return CellView(column)
    unit = row["unit"]
    missing = math.isnan(row["value"])
    published = number(row["published"], row["published_unit"])
    if published and row["published_unit"] != column.unit:
        published = f"{published} {row['published_unit']}"
    return CellView(
        column,
        NOT_RUN if missing else number(row["value"], unit),
        deviation(row["stdev"], row["value"], unit),
        probability(row["p"]),
        "" if missing else row["note"],
        published,
        number(row["difference"], unit, sign=True),
    )


@dataclass(frozen=True)
class Outcome:
    """The verdict of a claim on a pair, and what was measured.

    Attributes:
        verdict: as a chip.
        training: how models were trained, where there are several ways.
        measured: the difference, with interval and p.
    """

    verdict: Chip
    training: str = ""
    measured: str = ""


@dataclass(frozen=True)
class PairOutcomes:
    """The verdicts of a claim on a pair, one for each way of training; none: not about the pair."""

    pair: str
    outcomes: list[Outcome]


@dataclass(frozen=True)
class ComparisonView:
    """One comparison of a claim, as texts."""

    cells: str
    pair: str
    training: str
    published: str
    ours: str
    difference: str
    interval: str
    p: str
    shows_from: str
    outcome: Chip


@dataclass(frozen=True)
class ClaimView:
    """A claim of a page."""

    name: str
    statement: str
    where: str
    note: str
    metric: str
    measure: str
    published: str
    pairs: list[PairOutcomes]
    comparisons: list[ComparisonView]

    @property
    def trained(self) -> bool:
        """Whether there are verdicts on models trained in several ways."""
        return any(row.training for row in self.comparisons)


def claim_views(
    verdicts: pd.DataFrame, comparisons: pd.DataFrame, pairs: Sequence[str]
) -> list[ClaimView]:
    """The claims of a paper with their verdicts on each pair.

    Args:
        verdicts: of `judge_claims`.
        comparisons: of `judge_claims`.
        pairs: language pairs, in the order of the columns.
    """
    views = []
    for name, of_claim in verdicts.groupby("claim", sort=False):
        first = of_claim.iloc[0]
        rows = records(comparisons[comparisons["claim"] == name])
        ratio = first["relation"] == "ratio"
        own = records(of_claim)
        views.append(
            ClaimView(
                name=str(name),
                statement=first["statement"],
                where=first["where"],
                note=first["note"],
                metric=first["metric"],
                measure="ratio" if ratio else "difference",
                published=_published(first["published"], first["metric"], ratio),
                pairs=[
                    PairOutcomes(
                        pair, [_outcome(row, rows, ratio) for row in own if row["pair"] == pair]
                    )
                    for pair in pairs
                ],
                comparisons=[_comparison(row, ratio) for row in rows],
            )
        )
    return views


def summary_of(verdicts: pd.DataFrame, pairs: Sequence[str]) -> str:
    """How many of the claims hold on each pair, in a sentence a pair and training."""
    sentences = []
    for pair, training, counts in counts_of(verdicts, pairs):
        if sum(counts.values()):
            parts = [f"{counts[verdict]} {_PLURAL[verdict]}" for verdict in Verdict]
            where = ", ".join(filter(None, (pair, training)))
            sentences.append(f"{where}, {sum(counts.values())} findings: {', '.join(parts)}.")
    return " ".join(sentences)


def counts_of(
    verdicts: pd.DataFrame, pairs: Sequence[str]
) -> list[tuple[str, str, dict[Verdict, int]]]:
    """How many claims have each verdict, by pair and training.

    Claims that do not depend on the training count for each way of it.

    Args:
        verdicts: of `judge_claims`, of one paper.
        pairs: language pairs.

    Returns:
        Pair, training (empty where there is one way) and counts.
    """
    trainings = list(dict.fromkeys(filter(None, verdicts["training"]))) or [""]
    found = []
    for pair in pairs:
        of_pair = verdicts[verdicts["pair"] == pair]
        for training in trainings:
            own = of_pair[of_pair["training"].isin(["", training])]["verdict"]
            counts = {verdict: int((own == verdict.value).sum()) for verdict in Verdict}
            found.append((pair, training, counts))
    return found


def _published(values: str, unit: str, ratio: bool) -> str:
    """What the paper measured: the values of one comparison, the range of several."""
    pairs = [[float(value) for value in pair.split(":")] for pair in values.split()]
    if not pairs:
        return "no published values"
    if len(pairs) == 1:
        return " against ".join(number(value, unit) for value in pairs[0]) + f" {unit}"
    effects = [_effect(better, worse, ratio) for better, worse in pairs]
    return _with_unit(_range(effects, unit, ratio), unit, ratio)


def _effect(better: float, worse: float, ratio: bool) -> float:
    return worse / better if ratio else better - worse


def _range(effects: Sequence[float], unit: str, ratio: bool) -> str:
    """Least and largest of several differences or ratios."""
    least, most = (_effect_text(value, unit, ratio) for value in (min(effects), max(effects)))
    return least if least == most else f"{least} to {most}"


def _effect_text(effect: float, unit: str, ratio: bool) -> str:
    return f"{effect:.2f} times" if ratio else number(effect, unit, sign=True)


def _with_unit(text: str, unit: str, ratio: bool) -> str:
    """Adds units that are not those of a metric."""
    return text if ratio or unit in ("BLEU", "TER", "chrF", "(TER-BLEU)/2") else f"{text} {unit}"


def _outcome(verdict: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], ratio: bool) -> Outcome:
    """The verdict on one pair and training with the difference, or the range of several."""
    shown, training = chip(verdict["verdict"]), verdict["training"]
    known = [
        row
        for row in rows
        if (row["pair"], row["training"]) == (verdict["pair"], training)
        and not math.isnan(row["difference"])
    ]
    if not known:
        return Outcome(shown, training)
    if verdict["compared"] == 1:
        view = _comparison(known[0], ratio)
        p = f"p {view.p}" if view.p else ""
        difference = _with_unit(view.difference, known[0]["unit"], ratio)
        texts = (difference, view.interval, p, _power(known), _published_here(verdict, known[0]))
        return Outcome(shown, training, " ".join(filter(None, texts)))
    effects = [_effect(row["our_better"], row["our_worse"], ratio) for row in known]
    text = _with_unit(_range(effects, known[0]["unit"], ratio), known[0]["unit"], ratio)
    counted = f"{text}; {verdict['holding']} of {verdict['compared']} hold"
    return Outcome(shown, training, f"{counted} {_power(known)}".rstrip())


def _published_here(verdict: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """What the paper measured of this pair, where it measured others too."""
    values = row["published_better"], row["published_worse"]
    if len(verdict["published"].split()) == 1 or any(math.isnan(value) for value in values):
        return ""
    ratio = verdict["relation"] == "ratio"
    return f"the paper {_effect_text(_effect(*values, ratio), verdict['metric'], ratio)}"


def _power(rows: Sequence[Mapping[str, Any]]) -> str:
    """From which size on the differences of all comparisons show."""
    sizes = [row["shows_from"] for row in rows if not math.isnan(row["shows_from"])]
    if not sizes:
        return ""
    return f"(shows from {number(max(sizes), rows[0]['unit'])})"


def _comparison(row: Mapping[str, Any], ratio: bool) -> ComparisonView:
    unit = row["unit"] or row["metric"]
    measured = not math.isnan(row["difference"])
    published = [row["published_better"], row["published_worse"]]
    has_published = not any(math.isnan(value) for value in published)
    interval = ""
    if measured and not math.isnan(row["low"]):
        bounds = (
            f"{row[bound]:.2f}" if ratio else number(row[bound], unit, sign=True)
            for bound in ("low", "high")
        )
        interval = f"[{', '.join(bounds)}]"
    ours = (number(row["our_better"], unit), number(row["our_worse"], unit))
    difference = ""
    if measured:
        effect = _effect(row["our_better"], row["our_worse"], ratio)
        difference = _effect_text(effect, unit, ratio)
    return ComparisonView(
        cells=f"{row['better']} against {row['worse']}",
        pair=row["pair"],
        training=row["training"],
        published=" / ".join(number(v, row["metric"]) for v in published) if has_published else "",
        ours=" / ".join(ours) if measured else NOT_RUN,
        difference=difference,
        interval=interval,
        p=probability(row["p"]),
        shows_from=number(row["shows_from"], unit),
        outcome=chip(row["outcome"]),
    )


@dataclass(frozen=True)
class OverviewRow:
    """A system of the table over all papers."""

    system: str
    label: str
    papers: list[str]
    values: list[str]


@dataclass(frozen=True)
class OverviewView:
    """All systems of a language pair, the best first."""

    pair: str
    headings: list[str]
    rows: list[OverviewRow]


def overview_views(overview: pd.DataFrame) -> list[OverviewView]:
    """The table over all papers, pair by pair; columns without any number are left out.

    Args:
        overview: of `nlmt.papers.overview.make_overview`.
    """
    views = []
    for pair, frame in overview.groupby("pair", sort=False):
        scores = [column for column in frame if str(column).startswith(f"{METRIC} ")]
        wanted = [*scores, *MEASURES]
        columns = [str(column) for column in wanted if frame[column].notna().any()]
        units = {**dict.fromkeys(columns, METRIC), **{k: unit for k, (_, unit) in MEASURES.items()}}
        rows = [
            OverviewRow(
                row["system"],
                row["label"],
                row["papers"].split(),
                [number(row[column], units[column]) for column in columns],
            )
            for row in records(frame.sort_values(columns[0], ascending=False, kind="stable"))
        ]
        headings = [MEASURES[column][0] if column in MEASURES else column for column in columns]
        views.append(OverviewView(str(pair), headings, rows))
    return views
