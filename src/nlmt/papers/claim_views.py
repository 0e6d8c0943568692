"""Views of claims for templates: verdicts, their evidence and counts."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import pandas as pd

from nlmt.evaluation.difference import SIGNIFICANT
from nlmt.papers.claims import RATIOS, effect
from nlmt.papers.numbers import number, probability
from nlmt.papers.results import records
from nlmt.papers.verdicts import Verdict
from nlmt.report.intervals import Interval, Picture, Scale
from nlmt.report.table import NOT_RUN

# Class of style and short name of each verdict.
MARKS = {
    Verdict.HOLDS: ("holds", "holds"),
    Verdict.OTHER_SIZE: ("size", "other size"),
    Verdict.OPPOSITE: ("opposite", "opposite"),
    Verdict.MIXED: ("mixed", "mixed"),
    Verdict.NOT_SHOWN: ("unclear", "not shown"),
    Verdict.ONE_RUN: ("unclear", "not shown: one run"),
    Verdict.NOT_COMPARED: ("unclear", "not shown: not compared"),
    Verdict.NOT_TRAINED: ("missing", "not trained"),
    Verdict.NOT_RUN: ("missing", "not run"),
}
RULES = (
    "Verdicts follow from the numbers alone. A comparison holds, or is opposite, where p is below"
    " 0.05, or the claim's own level: of the difference, two-sided; for equality, by two one-sided "
    "tests against the claim's tolerance, and for what is no higher by one of them, so that the "
    "90 % interval lies within; of a factor likewise. A factor, or a least difference that "
    "the claim names, has another size where our 95 % interval has no value that it allows; it is "
    "opposite where a difference has its interval below zero, and a factor above 1 below 1. "
    "Interval and p of two systems, and of two models, cover the choice of the test sentences and "
    "the runs (docs/evaluation.md), but the sentences alone where there is one run, of which other "
    "runs may differ; systems that were only compared with a third one have the "
    "variances of both comparisons. Other values have those of their runs (Welch; of "
    "searches of one system run by run); those of a text, as learning curves, leave out its "
    "choice. Systems without a comparison over sentences, and other values of one run, show "
    "nothing, except sizes, which are exact. A claim holds where all its comparisons do, is "
    "opposite where all are, and mixed where some hold and others are opposite. Runs are those of "
    "systems and models, each with its own training and tuning, or repetitions of a time. Times "
    "are compared by their means. Where many claims are judged, chance alone lets some hold: so "
    "the p by which a claim holds, the largest of its comparisons', is adjusted for their number "
    "(Benjamini and Hochberg 1995), and those with at most 0.05 survive; it is near 1 for an "
    'opposite claim. "Shows from" is the power of the design: a true difference of that size '
    "decides a comparison in about half of all repetitions, a smaller one more seldom; of "
    "equality, and of what is no higher, it is the least tolerance that could be shown."
)
ONE_RUN = "\N{SUPERSCRIPT ONE}"  # behind a verdict by intervals over sentences alone
_column = itemgetter("pair", "training")  # of the matrix, for a verdict or a comparison


@dataclass(frozen=True)
class Outcome:
    """The verdict of a claim on a pair and training, as a cell of the matrix shows it.

    Attributes:
        training: the way in which models were trained, where there are several.
        verdict: of the claim; empty where the paper makes no such statement of the pair.
        mark: `ONE_RUN` where an interval of it is over sentences alone.
        text: the difference or ratio, or the range of several, with interval and p, and the
            paper's.
        picture: the drawn comparisons; None where nothing was measured.
        span: number of columns that it takes.
        scale: of the experiment, where there are several.
    """

    pair: str
    training: str
    verdict: str = ""
    mark: str = ""
    text: str = ""
    picture: Picture | None = None
    span: int = 1
    scale: str = ""

    @property
    def of(self) -> str:
        """Pair, scale and training."""
        return _joined(self.pair, self.scale, self.training)


@dataclass(frozen=True)
class ClaimView:
    """A claim of a page.

    Attributes:
        measure: what is compared, "difference" or "ratio".
        published: the paper's measurement.
        outcomes: the verdict of each column.
        comparisons: each comparison as texts.
    """

    name: str
    statement: str
    where: str
    note: str
    metric: str
    measure: str
    published: str
    outcomes: list[Outcome]
    comparisons: list[dict[str, str]]


def columns_of_claims(verdicts: pd.DataFrame, pairs: Sequence[str]) -> list[tuple[str, str]]:
    """Pair and training of each column of a paper's matrix; one training has no name."""
    trainings = list(dict.fromkeys(filter(None, verdicts["training"]))) or [""]
    return [(pair, training) for pair in pairs for training in trainings]


def claim_views(
    verdicts: pd.DataFrame, comparisons: pd.DataFrame, pairs: Sequence[str]
) -> list[ClaimView]:
    """The claims of a paper with their verdicts on each pair, from the frames of `judge_claims`."""
    views = []
    columns = columns_of_claims(verdicts, pairs)
    for name, of_claim in verdicts.groupby("claim", sort=False):
        first = of_claim.iloc[0]
        rows = records(comparisons[comparisons["claim"] == name])
        ratio = first["relation"] in RATIOS
        views.append(
            ClaimView(
                name=str(name),
                statement=first["statement"],
                where=first["where"],
                note=first["note"],
                metric=first["metric"],
                measure="ratio" if ratio else "difference",
                published=_published(first["published"], first["metric"], ratio),
                outcomes=_outcomes(records(of_claim), rows, columns, ratio),
                comparisons=[_comparison(row, ratio) for row in rows],
            )
        )
    return views


def _outcomes(
    verdicts: Sequence[Mapping[str, Any]],
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[tuple[str, str]],
    ratio: bool,
) -> list[Outcome]:
    """The cells of a claim; one that does not depend on the training takes all of a pair's."""
    scale = Scale.of([interval_of(row, ratio) for row in rows], ratio=ratio)
    trainings = len({training for _, training in columns})
    found = []
    for pair in dict.fromkeys(pair for pair, _ in columns):
        own = [verdict for verdict in verdicts if verdict["pair"] == pair]
        found += [
            _outcome(
                verdict,
                [row for row in rows if _column(row) == _column(verdict)],
                scale,
                1 if verdict["training"] else trainings,
            )
            for verdict in own
        ] or [Outcome(pair, "", span=trainings)]
    return found


def interval_of(row: Mapping[str, Any], ratio: bool) -> Interval:
    """A comparison as it is drawn, with the paper's value if that is in our unit."""
    papers = math.nan
    if ratio or row["unit"] == row["metric"]:
        papers = effect(row["published_better"], row["published_worse"], ratio=ratio)
    ours = effect(row["our_better"], row["our_worse"], ratio=ratio)
    return Interval(ours, row["low"], row["high"], papers, row["least"], row["most"])


@dataclass(frozen=True)
class Count:
    """The verdicts on a pair and training, claims that do not depend on the training among them.

    Attributes:
        training: the way in which models were trained, where there are several.
        verdicts: number of claims with each verdict.
        judged: number of claims with a p.
        surviving: number of those that hold, and whose p survives adjustment for their number.
        scale: of the experiment, where there are several.
    """

    pair: str
    training: str
    verdicts: dict[Verdict, int]
    judged: int
    surviving: int
    scale: str = ""

    @property
    def of(self) -> str:
        """Pair, scale and training."""
        return _joined(self.pair, self.scale, self.training)

    @property
    def by_chance(self) -> float:
        """The number that chance lets hold at most if none were true."""
        return SIGNIFICANT * self.judged


def counts_of(verdicts: pd.DataFrame, pairs: Sequence[str]) -> list[Count]:
    """Number of claims of one paper or several with each verdict, by pair and training."""
    found = []
    for pair, training, own in by_column(verdicts, pairs):
        counts = {one: int((own["verdict"] == one.value).sum()) for one in Verdict}
        holds = own["verdict"] == Verdict.HOLDS
        surviving = int((holds & (own["adjusted"] <= SIGNIFICANT)).sum())
        found.append(Count(pair, training, counts, int(own["p"].notna().sum()), surviving))
    return [count for count in found if sum(count.verdicts.values())]


def by_column(
    verdicts: pd.DataFrame, pairs: Sequence[str]
) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield pair, training and verdicts of each column, those of no training in all of a pair's."""
    for pair in pairs:
        of_pair = verdicts[verdicts["pair"] == pair]
        for _, training in columns_of_claims(of_pair, [pair]):
            yield pair, training, of_pair[of_pair["training"].isin(["", training])]


def _published(values: str, unit: str, ratio: bool) -> str:
    """The paper's measurement: the values of one comparison, or the range of several."""
    pairs = [[float(value) for value in pair.split(":")] for pair in values.split()]
    if not pairs:
        return "no number in its text"
    if len(pairs) == 1:
        return " against ".join(number(value, unit) for value in pairs[0]) + f" {unit}"
    effects = [effect(better, worse, ratio=ratio) for better, worse in pairs]
    return _with_unit(_range(effects, unit, ratio), unit, ratio)


def _range(effects: Sequence[float], unit: str, ratio: bool) -> str:
    """Least and largest of several differences or ratios."""
    least, most = (_effect_text(value, unit, ratio) for value in (min(effects), max(effects)))
    return least if least == most else f"{least} to {most}"


def _effect_text(effect: float, unit: str, ratio: bool) -> str:
    return f"{effect:.2f} times" if ratio else number(effect, unit, sign=True)


def _with_unit(text: str, unit: str, ratio: bool) -> str:
    """The text with its unit, except for units of metrics."""
    return text if ratio or unit in ("BLEU", "TER", "chrF", "(TER-BLEU)/2") else f"{text} {unit}"


def _outcome(
    verdict: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], scale: Scale, span: int
) -> Outcome:
    """The verdict on one pair and training with the difference, or the range of several."""
    ratio = scale.ratio
    known = [row for row in rows if not math.isnan(row["difference"])]
    cell = Outcome(verdict["pair"], verdict["training"], verdict["verdict"], span=span)
    if not known:
        return cell
    picture = scale.picture([interval_of(row, ratio) for row in known])
    cell = replace(cell, mark=ONE_RUN * any(row["interval_of"] for row in known))
    if verdict["compared"] == 1:
        view = _comparison(known[0], ratio)
        adjusted = probability(verdict["adjusted"])
        p = f"p {view['p']}" if view["p"] else ""
        p += f", adjusted {adjusted}" if p and adjusted else ""
        difference = _with_unit(view["difference"], known[0]["unit"], ratio)
        texts = (difference, view["interval"], p, _power(known), _published_here(verdict, known[0]))
        return replace(cell, text=" ".join(filter(None, texts)), picture=picture)
    effects = [effect(row["our_better"], row["our_worse"], ratio=ratio) for row in known]
    text = _with_unit(_range(effects, known[0]["unit"], ratio), known[0]["unit"], ratio)
    text = f"{text}; {verdict['holding']} of {verdict['compared']} hold {_power(known)}".rstrip()
    return replace(cell, text=text, picture=picture)


def _published_here(verdict: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """The paper's measurement on this pair, where it measured others too."""
    values = row["published_better"], row["published_worse"]
    if len(verdict["published"].split()) == 1 or any(math.isnan(value) for value in values):
        return ""
    ratio = verdict["relation"] in RATIOS
    return f"published {_effect_text(effect(*values, ratio=ratio), verdict['metric'], ratio)}"


def _power(rows: Sequence[Mapping[str, Any]]) -> str:
    """The size from which the differences of all comparisons show."""
    sizes = [row["shows_from"] for row in rows if not math.isnan(row["shows_from"])]
    if not sizes:
        return ""
    return f"(shows from {number(max(sizes), rows[0]['unit'])})"


def _comparison(row: Mapping[str, Any], ratio: bool) -> dict[str, str]:
    """The texts of a comparison."""
    unit = row["unit"] or row["metric"]
    published = [number(row[f"published_{side}"], row["metric"]) for side in ("better", "worse")]
    ours = [number(row[f"our_{side}"], unit) for side in ("better", "worse")]
    difference = effect(row["our_better"], row["our_worse"], ratio=ratio)
    ends = [
        f"{row[end]:.2f}" if ratio else number(row[end], unit, sign=True) for end in ("low", "high")
    ]
    return {
        "cells": f"{row['better']} against {row['worse']}",
        "pair": row["pair"],
        "training": row["training"],
        "published": " / ".join(published) if all(published) else "",
        "ours": " / ".join(ours) if all(ours) else NOT_RUN,
        "difference": _effect_text(difference, unit, ratio) if all(ours) else "",
        "interval": "" if math.isnan(row["low"]) else f"[{', '.join(ends)}]",
        "p": probability(row["p"]),
        "shows_from": number(row["shows_from"], unit),
        "outcome": row["outcome"],
        "mark": ONE_RUN * bool(row["interval_of"]),
    }


def _joined(*names: str) -> str:
    return ", ".join(filter(None, names))
