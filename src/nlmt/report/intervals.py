"""Differences with their intervals as small pictures, for the cells of tables."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

WIDTH = 96  # of a picture, in its own units
_EDGE = 5  # left free at both sides
_LEAST_HEIGHT, _LINE = 14, 6  # of a picture, and of one of several intervals
_FAR = 2.5  # times the largest difference, where intervals are cut off


@dataclass(frozen=True)
class Interval:
    """A difference or ratio to draw.

    `low` and `high` are NaN without an interval, and so is `other`, such as a paper's estimate. The
    zone to shade is from `least` to `most`.
    """

    value: float
    low: float
    high: float
    other: float = math.nan
    least: float = 0.0
    most: float = math.inf


@dataclass(frozen=True)
class Picture:
    """Intervals one below another as paths of SVG.

    Attributes:
        height: in units of `WIDTH`.
        zone: left edge and width of the shaded zone.
        zero: x of no difference.
        ranges: the intervals.
        dots: the estimates.
        ticks: the others' estimates.
    """

    height: int
    zone: tuple[float, float]
    zero: float
    ranges: str
    dots: str
    ticks: str


@dataclass(frozen=True)
class Scale:
    """The scale that several pictures share.

    Ratios are drawn by their logarithms.
    """

    low: float
    high: float
    ratio: bool

    @classmethod
    def of(cls, intervals: Sequence[Interval], *, ratio: bool = False) -> Self:
        """A scale from the least to the largest value, with no difference on it."""
        points = [0.0]
        for one in intervals:
            shown = (one.value, one.other, one.least, one.most)
            points += [_value(number, ratio) for number in shown]
        known = [point for point in points if math.isfinite(point)]
        far = _FAR * max(map(abs, known)) or 1.0
        ends = (_value(end, ratio) for one in intervals for end in (one.low, one.high))
        known += [max(-far, min(far, end)) for end in ends if not math.isnan(end)]
        low, high = min(known), max(known)
        return cls(low, high if high > low else low + 1, ratio)

    def picture(self, intervals: Sequence[Interval]) -> Picture:
        """The picture of one or more intervals with one zone."""
        height = max(_LEAST_HEIGHT, _LINE * len(intervals) + 2)
        ranges, dots, ticks = [], [], []
        for place, one in enumerate(intervals):
            y = round(height / 2 + _LINE * (place - (len(intervals) - 1) / 2), 1)
            dots.append(f"M{self._x(one.value):g} {y:g}h0")
            if not math.isnan(one.low):
                ranges.append(f"M{self._x(one.low):g} {y:g}H{self._x(one.high):g}")
            if not math.isnan(one.other):
                ticks.append(f"M{self._x(one.other):g} {y - 2.5:g}v5")
        left, right = self._x(intervals[0].least), self._x(intervals[0].most)
        zero = self._x(1.0 if self.ratio else 0.0)
        zone = left, round(right - left, 1)
        return Picture(height, zone, zero, "".join(ranges), "".join(dots), "".join(ticks))

    def share(self, number: float) -> float:
        """The place of a value, from 0 at the scale's low end to 1; outside of it beyond these."""
        return (_value(number, self.ratio) - self.low) / (self.high - self.low)

    def _x(self, number: float) -> float:
        """The place of a value; one off the scale is at the picture's edge."""
        x = _EDGE + self.share(number) * (WIDTH - 2 * _EDGE)
        return round(max(0.0, min(float(WIDTH), x)), 1)


def _value(number: float, ratio: bool) -> float:
    """A number on the scale, which is logarithmic for ratios."""
    if not ratio or math.isnan(number):
        return number
    return math.log(number) if number > 0 else -math.inf
