"""Differences with their intervals as small pictures, for the cells of a matrix."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

WIDTH = 96  # of a picture, in its own units
_EDGE = 5  # left free at both sides
_LEAST_HEIGHT, _LINE = 14, 6  # of a picture, and of one of several comparisons
_FAR = 2.5  # times the largest difference, where intervals are cut off


@dataclass(frozen=True)
class Picture:
    """A picture as paths of SVG.

    Attributes:
        height: in units of `WIDTH`.
        zone: left edge and width of where the finding is true.
        zero: x of no difference.
        ranges: the intervals.
        dots: the differences.
        ticks: the paper's differences.
    """

    height: int
    zone: tuple[float, float]
    zero: float
    ranges: str
    dots: str
    ticks: str


@dataclass(frozen=True)
class Scale:
    """The scale that all pictures of a finding share.

    Attributes:
        low: value at the left.
        high: value at the right.
        ratio: whether values are logarithms of ratios.
    """

    low: float
    high: float
    ratio: bool

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]], ratio: bool) -> Self:
        """A scale for comparisons of `judge_claims`, with zero and the paper's value."""
        points = [0.0]
        for row in rows:
            points += [
                _value(one, ratio) for one in (*_effects(row, ratio), row["least"], row["most"])
            ]
        known = [point for point in points if math.isfinite(point)]
        far = _FAR * max(map(abs, known)) or 1.0
        bounds = (_value(row[bound], ratio) for row in rows for bound in ("low", "high"))
        known += [max(-far, min(far, bound)) for bound in bounds if not math.isnan(bound)]
        low, high = min(known), max(known)
        return cls(low, high if high > low else low + 1, ratio)

    def picture(self, rows: Sequence[Mapping[str, Any]]) -> Picture:
        """The picture of comparisons that were measured."""
        height = max(_LEAST_HEIGHT, _LINE * len(rows) + 2)
        ranges, dots, ticks = [], [], []
        for place, row in enumerate(rows):
            y = round(height / 2 + _LINE * (place - (len(rows) - 1) / 2), 1)
            ours, papers = (self._x(value) for value in _effects(row, self.ratio))
            dots.append(f"M{ours:g} {y:g}h0")
            if not math.isnan(row["low"]):
                ranges.append(f"M{self._x(row['low']):g} {y:g}H{self._x(row['high']):g}")
            if not math.isnan(papers):
                ticks.append(f"M{papers:g} {y - 2.5:g}v5")
        left, right = self._x(rows[0]["least"]), self._x(rows[0]["most"])
        zero = self._x(1.0 if self.ratio else 0.0)
        zone = left, round(right - left, 1)
        return Picture(height, zone, zero, "".join(ranges), "".join(dots), "".join(ticks))

    def _x(self, value: float) -> float:
        """The place of a difference or ratio; one off the scale is at the picture's edge."""
        if math.isnan(value):
            return value
        share = (_value(value, self.ratio) - self.low) / (self.high - self.low)
        x = _EDGE + share * (WIDTH - 2 * _EDGE)
        return round(max(0.0, min(float(WIDTH), x)), 1)


def effect(better: float, worse: float, ratio: bool) -> float:
    """The difference of two values, or their ratio."""
    return worse / better if ratio else better - worse


def _effects(row: Mapping[str, Any], ratio: bool) -> tuple[float, float]:
    """Our difference or ratio, and the paper's; NaN where there is none in our unit."""
    ours = effect(row["our_better"], row["our_worse"], ratio)
    if not ratio and row["unit"] != row["metric"]:
        return ours, math.nan
    return ours, effect(row["published_better"], row["published_worse"], ratio)


def _value(number: float, ratio: bool) -> float:
    """A number on the scale, which is logarithmic for ratios."""
    if not ratio or math.isnan(number):
        return number
    return math.log(number) if number > 0 else -math.inf
