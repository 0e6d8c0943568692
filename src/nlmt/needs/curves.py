"""Curves through measured points: a fixed part, and one that grows with the size of the input."""

from collections.abc import Sequence
from dataclasses import dataclass

# A curve that is no line has to be this much closer to the points: two or three sizes tell little.
_CLEARLY = 4.0


@dataclass(frozen=True)
class Curve:
    """`fixed + slope * size ** power`, none of them negative."""

    fixed: float
    slope: float
    power: float = 1.0

    def at(self, size: float) -> float:
        """Its value at a size."""
        return self.fixed + self.slope * float(size**self.power)

    def raised(self, points: Sequence[tuple[float, float]]) -> "Curve":
        """The same curve times the least factor with which no point is above it."""
        factor = max([1.0, *(y / self.at(x) for x, y in points if y > 0)])
        return Curve(factor * self.fixed, factor * self.slope, self.power)


def fit(points: Sequence[tuple[float, float]], powers: Sequence[float] = (1.0,)) -> Curve:
    """The curve with the least squares of relative errors.

    Args:
        points: size and value; values above 0.
        powers: that the curve may have; the first is taken unless another one is much closer.
    """
    curves = [_of_power(points, power) for power in powers]
    errors = [_error(curve, points) for curve in curves]
    best = min(range(len(curves)), key=errors.__getitem__)
    return curves[best] if _CLEARLY * errors[best] < errors[0] else curves[0]


def _of_power(points: Sequence[tuple[float, float]], power: float) -> Curve:
    weights = [1 / y**2 for _, y in points]
    sizes, values = [x**power for x, _ in points], [y for _, y in points]
    total = sum(weights)
    mean_size = sum(map(float.__mul__, weights, sizes)) / total
    mean = sum(map(float.__mul__, weights, values)) / total
    spread = sum(w * (x - mean_size) ** 2 for w, x in zip(weights, sizes, strict=True))
    if spread <= 0:  # of one size
        return Curve(mean, 0.0, power)
    rows = zip(weights, sizes, values, strict=True)
    slope = sum(w * (x - mean_size) * (y - mean) for w, x, y in rows) / spread
    if slope < 0:
        return Curve(mean, 0.0, power)
    fixed = mean - slope * mean_size
    if fixed < 0:
        rows = zip(weights, sizes, values, strict=True)
        through_zero = sum(w * x * y for w, x, y in rows)
        squares = sum(w * x * x for w, x in zip(weights, sizes, strict=True))
        return Curve(0.0, through_zero / squares, power)
    return Curve(fixed, slope, power)


def _error(curve: Curve, points: Sequence[tuple[float, float]]) -> float:
    return sum((curve.at(x) / y - 1) ** 2 for x, y in points)
