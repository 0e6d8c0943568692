"""Views of claims for templates: verdicts, their evidence and counts."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from nlmt.evaluation.difference import SIGNIFICANT
from nlmt.papers.claims import RATIOS
from nlmt.papers.numbers import number, probability
from nlmt.papers.results import NOT_RUN, records
from nlmt.papers.verdicts import Verdict

STYLES = {
    Verdict.HOLDS: "holds",
    Verdict.OPPOSITE: "opposite",
    Verdict.MIXED: "mixed",
    Verdict.NOT_SHOWN: "",
    Verdict.NOT_TRAINED: "missing",
    Verdict.NOT_RUN: "missing",
}
RULES = (
    "Verdicts follow from the numbers alone. A comparison holds, or is opposite, where p is below"
    " 0.05: of the difference, two-sided; for equality, by two one-sided tests against the "
    "claim's tolerance, and for what is no higher by one of them, so that the 90 % interval lies "
    "within; of a factor likewise. Interval and p of two systems, and of two models, cover the "
    "choice of the test sentences and the runs (docs/evaluation.md); other values have those of "
    "their runs (Welch; of searches of one system run by run), and numbers without repetition are"
    " taken as they are. A claim holds where all its comparisons do, is opposite where all are, "
    "and mixed where some hold and others are opposite. Runs are those of systems and models, "
    "each with its own training and tuning, or repetitions of a time. Times are compared by their "
    "means. Where many claims are judged, chance "
    "alone lets some hold: those whose p, adjusted for their number (Benjamini and Hochberg "
    '1995), is at most 0.05 survive. "Shows from" is the power of the design: a true difference '
    "of that size decides a comparison in about half of all repetitions, a smaller one more "
    "seldom; of equality, and of what is no higher, it is the least tolerance that could be "
    "shown."
)


@dataclass(frozen=True)
class Outcome:
    """The verdict of a claim on a pair, and the measurement.

    Attributes:
        verdict: of the claim.
        training: the way in which models were trained, where there are several.
        effect: the difference or ratio, or the range of several.
        measured: the effect with interval and p.
    """

    verdict: str
    training: str = ""
    effect: str = ""
    measured: str = ""


@dataclass(frozen=True)
class ClaimView:
    """A claim of a page.

    Attributes:
        measure: what is compared, "difference" or "ratio".
        published: the paper's measurement.
        pairs: the verdicts on each pair, one per way of training; none if not about the pair.
        comparisons: each comparison as texts.
    """

    name: str
    statement: str
    where: str
    note: str
    metric: str
    measure: str
    published: str
    pairs: dict[str, list[Outcome]]
    comparisons: list[dict[str, str]]

    @property
    def trained(self) -> bool:
        """Whether there are verdicts on models trained in several ways."""
        return any(row["training"] for row in self.comparisons)


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
        ratio = first["relation"] in RATIOS
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
                pairs={
                    pair: [_outcome(row, rows, ratio) for row in own if row["pair"] == pair]
                    for pair in pairs
                },
                comparisons=[_comparison(row, ratio) for row in rows],
            )
        )
    return views


def summary_of(verdicts: pd.DataFrame, pairs: Sequence[str]) -> str:
    """Counts of verdicts, and of those that survive, in words for each pair and training."""
    sentences = []
    for pair, training, own in _groups(verdicts, pairs):
        if not len(own):
            continue
        counts = _counts(own)
        parts = [_counted(counts[verdict], verdict) for verdict in Verdict if counts[verdict]]
        where = ", ".join(filter(None, (pair, training)))
        sentences.append(f"{where}, {len(own)} findings: {', '.join(parts)}.")
        judged = own[own["p"].notna()]
        if len(judged):
            survive = int((judged["adjusted"] <= SIGNIFICANT).sum())
            sentences.append(
                f"{survive} of the {len(judged)} with a p survive adjustment for their number; if "
                f"none were true, chance would let at most {SIGNIFICANT * len(judged):.1f} hold."
            )
    return " ".join(sentences)


def _counted(count: int, verdict: Verdict) -> str:
    """As "1 holds" or "2 hold"."""
    words = "hold" if verdict is Verdict.HOLDS and count != 1 else verdict.value
    return f"{count} {words}"


def counts_of(
    verdicts: pd.DataFrame, pairs: Sequence[str]
) -> list[tuple[str, str, dict[Verdict, int]]]:
    """Number of claims with each verdict, by pair and training.

    Claims that do not depend on the training count for each way of training.

    Args:
        verdicts: of `judge_claims`, of one paper.
        pairs: language pairs.

    Returns:
        Pair, training (empty where there is one way) and counts.
    """
    return [(pair, training, _counts(own)) for pair, training, own in _groups(verdicts, pairs)]


def _groups(
    verdicts: pd.DataFrame, pairs: Sequence[str]
) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield pair, training and verdicts, which include those that no training matters for."""
    trainings = list(dict.fromkeys(filter(None, verdicts["training"]))) or [""]
    for pair in pairs:
        of_pair = verdicts[verdicts["pair"] == pair]
        for training in trainings:
            yield pair, training, of_pair[of_pair["training"].isin(["", training])]


def _counts(verdicts: pd.DataFrame) -> dict[Verdict, int]:
    return {verdict: int((verdicts["verdict"] == verdict.value).sum()) for verdict in Verdict}


def _published(values: str, unit: str, ratio: bool) -> str:
    """The paper's measurement: the values of one comparison, or the range of several."""
    pairs = [[float(value) for value in pair.split(":")] for pair in values.split()]
    if not pairs:
        return "none in the paper's text"
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
    """The text with its unit, except for units of metrics."""
    return text if ratio or unit in ("BLEU", "TER", "chrF", "(TER-BLEU)/2") else f"{text} {unit}"


def _outcome(verdict: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], ratio: bool) -> Outcome:
    """The verdict on one pair and training with the difference, or the range of several."""
    shown, training = verdict["verdict"], verdict["training"]
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
        adjusted = probability(verdict["adjusted"])
        p = f"p {view['p']}, adjusted {adjusted}" if view["p"] and adjusted else ""
        difference = _with_unit(view["difference"], known[0]["unit"], ratio)
        texts = (difference, view["interval"], p, _power(known), _published_here(verdict, known[0]))
        return Outcome(shown, training, difference, " ".join(filter(None, texts)))
    effects = [_effect(row["our_better"], row["our_worse"], ratio) for row in known]
    text = _with_unit(_range(effects, known[0]["unit"], ratio), known[0]["unit"], ratio)
    counted = f"{text}; {verdict['holding']} of {verdict['compared']} hold"
    return Outcome(shown, training, text, f"{counted} {_power(known)}".rstrip())


def _published_here(verdict: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """The paper's measurement on this pair, where it measured others too."""
    values = row["published_better"], row["published_worse"]
    if len(verdict["published"].split()) == 1 or any(math.isnan(value) for value in values):
        return ""
    ratio = verdict["relation"] in RATIOS
    return f"published {_effect_text(_effect(*values, ratio), verdict['metric'], ratio)}"


def _power(rows: Sequence[Mapping[str, Any]]) -> str:
    """The size from which the differences of all comparisons show."""
    sizes = [row["shows_from"] for row in rows if not math.isnan(row["shows_from"])]
    if not sizes:
        return ""
    return f"(shows from {number(max(sizes), rows[0]['unit'])})"


def _comparison(row: Mapping[str, Any], ratio: bool) -> dict[str, str]:
    """The texts of a comparison."""
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
    return {
        "cells": f"{row['better']} against {row['worse']}",
        "pair": row["pair"],
        "training": row["training"],
        "published": " / ".join(number(v, row["metric"]) for v in published)
        if has_published
        else "",
        "ours": " / ".join(ours) if measured else NOT_RUN,
        "difference": difference,
        "interval": interval,
        "p": probability(row["p"]),
        "shows_from": number(row["shows_from"], unit),
        "outcome": row["outcome"],
    }
