"""Published findings at all scales, and small pictures of them over the size of the text."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from operator import itemgetter
from typing import Any

from nlmt.papers.claim_views import (
    MARKS,
    ClaimView,
    Outcome,
    columns_of_claims,
    counts_of,
    interval_of,
)
from nlmt.papers.numbers import number
from nlmt.papers.pages import render_view
from nlmt.papers.paper import LearntText
from nlmt.papers.publish import Publication
from nlmt.papers.results import ALL_PAIRS, records, result_frame
from nlmt.papers.verdicts import Verdict
from nlmt.report.intervals import Scale

_LEFT, _RIGHT, _TOP, _BOTTOM = 32, 214, 6, 84  # of the plot, in the template, too
_INSET = 5  # of the scale of differences, so that a zone beyond it is seen
_MARGIN = 0.3  # of the axis of words, at both ends, in powers of ten
_APART = 5  # of neighbouring comparisons, at most
_ROOM = 24  # for all comparisons of a finding at one scale
_UNITS = {9: "B", 6: "M", 3: "k"}  # by powers of ten
_name = itemgetter("training", "better", "worse")  # of a comparison


@dataclass(frozen=True)
class Marks:
    """Estimates (dots) and intervals (ranges) of one verdict and training, as paths of SVG."""

    verdict: str
    training: int
    ranges: str
    dots: str


@dataclass(frozen=True)
class FindingPicture:
    """A finding over the size of the text.

    Attributes:
        claim: its name.
        unit: of the differences, or "times".
        zone: top and height of the shaded zone, where the finding would be true.
        zero: y of no difference, and its text.
        tick: y of another value of the axis, and its text.
        lines: from each comparison's estimate at one scale to that at the next one.
        papers: ticks at what the paper measured.
    """

    claim: str
    unit: str
    zone: tuple[float, float]
    zero: tuple[float, str]
    tick: tuple[float, str]
    lines: str
    marks: Sequence[Marks]
    papers: str


@dataclass(frozen=True)
class ScaleFigure:
    """The findings of a paper on a language pair over the size of the text.

    Attributes:
        text: the kind of text whose words are counted.
        sizes: the scales and the paper, with the words of their text in millions.
        ticks: x of powers of ten, and their texts.
        trainings: the ways in which models were trained, where there are several.
        findings: a picture each, of those that were measured.
    """

    pair: str
    text: str
    sizes: Sequence[tuple[str, str]]
    ticks: Sequence[tuple[float, str]]
    trainings: Sequence[str]
    findings: Sequence[FindingPicture]


@dataclass(frozen=True)
class _Point:
    """A publication on the axis of words: its place, and its findings by name."""

    publication: Publication
    x: float
    claims: Mapping[str, ClaimView]


def scale_figures(publications: Sequence[Publication]) -> list[ScaleFigure]:
    """The findings of a paper over the size of the text, a figure for each pair and text.

    Publications whose text was not counted are left out, and so are findings that were not measured
    or do not depend on the text.
    """
    pairs = dict.fromkeys(pair for one in publications for pair in one.results.pairs)
    texts: list[LearntText] = []
    for text in publications[0].results.paper.texts.values() if publications else ():
        if text not in texts:
            texts.append(text)
    found = []
    for pair, text in product(pairs, texts):
        counted = [one for one in publications if one.words(pair, text.name)]
        if counted:
            found.append(_figure(pair, text, counted))
    return [figure for figure in found if figure.findings]


def published_html(publications: Sequence[Publication]) -> str:
    """The findings of a paper at all scales.

    It is a part of a page that has `findings.css`. Findings that were measured at several scales
    are drawn over the size of the text.
    """
    several = [
        replace(figure, findings=[finding for finding in figure.findings if finding.lines])
        for figure in scale_figures(publications)
    ]
    return render_view(
        "published.html.jinja",
        claims=_at_all_scales(publications),
        counts=[
            replace(count, scale=one.scale)
            for one in publications
            for count in counts_of(one.results.verdicts, one.results.pairs)
        ],
        columns=[
            (pair, ", ".join(filter(None, (one.scale, training))))
            for one in publications
            for pair, training in _columns(one)
        ],
        figures=[figure for figure in several if figure.findings],
    )


def scores_html(publications: Sequence[Publication]) -> str:
    """BLEU of the systems of a paper by test set, at all scales, as a part of a page."""
    scores: dict[str, dict[tuple[str, str, str], dict[str, Any]]] = {}
    for one in publications:
        for row in records(one.results.tables.get("test_sets", result_frame(()))):
            cell = row["pair"], one.scale, row["column"]
            scores.setdefault(row["row"], {})[cell] = row
    if not scores:
        return ""
    test_sets = list(dict.fromkeys(column for row in scores.values() for column in row))
    return render_view("scores.html.jinja", scores=scores, test_sets=test_sets)


def _at_all_scales(publications: Sequence[Publication]) -> list[ClaimView]:
    """The claims of a paper, with the outcomes of all publications side by side."""
    views: dict[str, ClaimView] = {}
    outcomes: dict[str, list[list[Outcome]]] = {}
    for place, one in enumerate(publications):
        for claim in one.results.claims():
            views.setdefault(claim.name, claim)
            empty = [[Outcome("", "", span=len(_columns(other)))] for other in publications]
            of_scale = [replace(outcome, scale=one.scale) for outcome in claim.outcomes]
            outcomes.setdefault(claim.name, empty)[place] = of_scale
    return [
        replace(view, outcomes=list(chain.from_iterable(outcomes[name])))
        for name, view in views.items()
    ]


def _columns(one: Publication) -> list[tuple[str, str]]:
    """Pair and training of each column of a publication's part of the matrix."""
    return columns_of_claims(one.results.verdicts, one.results.pairs)


def _figure(pair: str, text: LearntText, publications: Sequence[Publication]) -> ScaleFigure:
    """The figure of a pair, of findings on models of a text."""
    paper = publications[0].results.paper
    words = {one.scale: float(one.words(pair, text.name) or 0) for one in publications}
    if text.words:
        words["the paper"] = text.words.get(pair, next(iter(text.words.values())))
    low = math.log10(min(words.values())) - _MARGIN
    high = math.log10(max(words.values())) + _MARGIN

    def x_of(count: float) -> float:
        share = (math.log10(count) - low) / (high - low)
        return round(_LEFT + share * (_RIGHT - _LEFT), 1)

    points = [
        _Point(one, x_of(words[one.scale]), {claim.name: claim for claim in one.results.claims()})
        for one in publications
    ]
    papers = x_of(words["the paper"]) if text.words else float(_RIGHT)
    claims = {name: claim for point in points for name, claim in point.claims.items()}
    pictures = [_picture(claim, pair, text, points, papers) for claim in claims.values()]
    return ScaleFigure(
        pair,
        "bitext" if text.name == "train" else "text",
        [(scale, number(count / 1e6, "words")) for scale, count in words.items()],
        [
            (x_of(10**power), _power_text(power))
            for power in range(math.ceil(low), math.floor(high) + 1)
        ],
        [*paper.trainings] if len(paper.trainings) > 1 else [],
        [picture for picture in pictures if picture is not None],
    )


def _picture(
    claim: ClaimView, pair: str, text: LearntText, points: Sequence[_Point], papers: float
) -> FindingPicture | None:
    """The picture of a finding, with the paper's place on the axis; None if not measured."""
    ratio = claim.measure == "ratio"
    rows = [
        (point, row, interval_of(row, ratio))
        for point in points
        for row in _measured(point.publication, claim.name, pair, text)
    ]
    if not rows:
        return None
    scale = Scale.of([interval for *_, interval in rows], ratio=ratio)
    y_of = _y_of(scale)
    names = list(dict.fromkeys(_name(row) for _, row, _ in rows))
    apart = min(_APART, _ROOM / len(names))
    curves: dict[Any, list[str]] = {name: [] for name in names}
    marks: dict[tuple[str, int], tuple[list[str], list[str]]] = {}
    for point, row, interval in rows:
        x = round(point.x + apart * (names.index(_name(row)) - (len(names) - 1) / 2), 1)
        y = y_of(interval.value)
        curves[_name(row)].append(f"{x:g} {y:g}")
        trainings = list(point.publication.results.paper.trainings)
        training = trainings.index(row["training"]) if row["training"] else 0
        verdict = next(
            outcome.verdict
            for outcome in point.claims[claim.name].outcomes
            if (outcome.pair, outcome.training) == (pair, row["training"])
        )
        kind = MARKS[Verdict(verdict)][0], training
        ranges, dots = marks.setdefault(kind, ([], []))
        dots.append(f"M{x:g} {y:g}h0")
        if not math.isnan(interval.low):
            ranges.append(f"M{x:g} {y_of(interval.low):g}V{y_of(interval.high):g}")
    known = [interval.other for *_, interval in rows if not math.isnan(interval.other)]
    _, row, first = rows[0]
    top, bottom = y_of(first.most), y_of(first.least)
    return FindingPicture(
        claim.name,
        "times" if ratio else row["unit"],
        (top, round(bottom - top, 1)),
        (y_of(1 if ratio else 0), "1" if ratio else "0"),
        _tick(scale, y_of),
        "".join(f"M{'L'.join(points)}" for points in curves.values() if len(points) > 1),
        [Marks(*kind, "".join(ranges), "".join(dots)) for kind, (ranges, dots) in marks.items()],
        "".join(f"M{papers - 5:.1f} {y:g}h10" for y in dict.fromkeys(map(y_of, known))),
    )


def _measured(one: Publication, claim: str, pair: str, text: LearntText) -> list[dict[str, Any]]:
    """The measured comparisons of a finding that depend on a text."""
    frame = one.results.comparisons
    own = frame[(frame["claim"] == claim) & (frame["pair"] == pair) & frame["difference"].notna()]
    return [
        row
        for row in records(own)
        if one.results.paper.text_of(row["table"]) == text and not _without_text(one, row["table"])
    ]


def _without_text(one: Publication, table: str) -> bool:
    """Whether the values of a table are of no pair, as times over made-up vocabularies."""
    frame = one.results.tables[table]
    return set(frame.loc[frame["value"].notna(), "pair"]) == {ALL_PAIRS}


def _y_of(scale: Scale) -> Callable[[float], float]:
    """The function from a value to its y; one off the scale is at the plot's edge."""

    def y_of(value: float) -> float:
        y = _BOTTOM - _INSET - scale.share(value) * (_BOTTOM - _TOP - 2 * _INSET)
        return round(max(float(_TOP), min(float(_BOTTOM), y)), 1)

    return y_of


def _tick(scale: Scale, y_of: Callable[[float], float]) -> tuple[float, str]:
    """The place and the text of a round value towards the end of the axis that is farther off."""
    end = max(scale.low, scale.high, key=abs)
    if scale.ratio:
        value = float(f"{math.exp(end):.2g}")
        return y_of(value), f"{value:g}"
    digit = 10.0 ** math.floor(math.log10(abs(end)))
    value = math.copysign(math.floor(abs(end) / digit) * digit, end)
    text = f"{value / 1000:+g}k" if abs(value) >= 1000 else f"{value:+g}"
    return y_of(value), text.replace("-", "\N{MINUS SIGN}")


def _power_text(power: int) -> str:
    """A power of ten in thousands, millions or billions."""
    exponent = max(0, min(9, power - power % 3))
    return f"{10 ** (power - exponent)}{_UNITS.get(exponent, '')}"
