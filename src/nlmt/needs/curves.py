"""Curves through measured points: a fixed part, and a part that grows with the input's size."""

from collections.abc import Sequence
from dataclasses import dataclass

# A curve other than a line must be this much closer to the points: a few sizes tell little.
_CLEARLY = 4.0
_ROUNDS = 20  # of reweighting by the previous curve
_NOTHING = 1e-6  # a fixed part that keeps values above 0


@dataclass(frozen=True)
class Curve:
    """The curve `fixed + slope * size ** power`, with non-negative parameters."""

    fixed: float
    slope: float
    power: float = 1.0

    def at(self, size: float) -> float:
        """Its value at a size."""
        return self.fixed + self.slope * float(size**self.power)

    def raised(self, points: Sequence[tuple[float, float]]) -> "Curve":
        """The curve times the least factor that leaves no point above it."""
        factor = max([1.0, *(y / self.at(x) for x, y in points if y > 0)])
        return Curve(factor * self.fixed, factor * self.slope, self.power)


def fit(points: Sequence[tuple[float, float]], powers: Sequence[float] = (1.0,)) -> Curve:
    """The curve with the least squared errors relative to itself.

    Errors relative to the values would pull it down to the least value of jobs of one size.

    The first of the powers is chosen unless another one is much closer.
    """
    curves = [_of_power(points, power) for power in powers]
    errors = [sum((y / curve.at(x) - 1) ** 2 for x, y in points) for curve in curves]
    best = min(range(len(curves)), key=errors.__getitem__)
    return curves[best] if _CLEARLY * errors[best] < errors[0] else curves[0]


def _of_power(points: Sequence[tuple[float, float]], power: float) -> Curve:
    curve = _weighted(points, [1 / y**2 for _, y in points], power)
    for _ in range(_ROUNDS):
        curve = _weighted(points, [1 / curve.at(x) ** 2 for x, _ in points], power)
    return curve


def _weighted(points: Sequence[tuple[float, float]], weights: list[float], power: float) -> Curve:
    rows = [(weight, x**power, y) for weight, (x, y) in zip(weights, points, strict=True)]
    total = sum(weights)
    mean_size, mean = sum(w * x for w, x, _ in rows) / total, sum(w * y for w, _, y in rows) / total
    spread = sum(w * (x - mean_size) ** 2 for w, x, _ in rows)
    slope = sum(w * (x - mean_size) * (y - mean) for w, x, y in rows) / spread if spread > 0 else 0
    if slope <= 0:
        return Curve(mean, 0.0, power)
    if slope * mean_size > mean:  # the fixed part would be negative
        slope = sum(w * x * y for w, x, y in rows) / sum(w * x * x for w, x, _ in rows)
        return Curve(_NOTHING, slope, power)
    return Curve(mean - slope * mean_size, slope, power)
