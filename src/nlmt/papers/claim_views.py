"""Views of claims for templates: verdicts, their evidence and counts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from nlmt.papers.claims import RATIOS
from nlmt.papers.numbers import number, probability
from nlmt.papers.results import NOT_RUN, records
from nlmt.papers.verdicts import Verdict

STYLES = {
    Verdict.HOLDS: "holds",
    Verdict.OPPOSITE: "opposite",
    Verdict.NOT_SHOWN: "",
    Verdict.NOT_RUN: "missing",
}
RULES = (
    "Verdicts follow from the numbers alone. A difference holds where its 95 % interval over runs"
    " (Welch; of searches of one system, run by run) lies on the claim's side of zero and, "
    "between systems, p is below 0.05 (two-sided, over sentences and runs); equality where the 90"
    " % interval lies within the claim's tolerance, and that a value is no higher where it ends "
    "below that tolerance; a factor where the 90 % interval of the ratio is within its tolerance,"
    " and more than a factor where the 95 % interval begins above it. A claim with several "
    "comparisons holds where all do, and is opposite where one is and none holds. Perplexities of"
    " single models are judged by p over sentences alone, other values without repetition by "
    "their difference. Runs are tuning runs, or repetitions of a time: of each model one network "
    "is trained, and an interval does not say how much another one would differ. Times are "
    'compared by their means. "Shows from" is the power of the design: a true difference of that '
    "size decides a verdict in about half of all repetitions, a smaller one more seldom; of "
    "equality, and of what is no higher, it is the least tolerance that could be shown."
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
    """Counts of verdicts, in one sentence for each pair and training."""
    sentences = []
    for pair, training, counts in counts_of(verdicts, pairs):
        if sum(counts.values()):
            parts = [_counted(counts[verdict], verdict) for verdict in Verdict]
            where = ", ".join(filter(None, (pair, training)))
            sentences.append(f"{where}, {sum(counts.values())} findings: {', '.join(parts)}.")
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
        p = f"p {view['p']}" if view["p"] else ""
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
