"""The table of points and curves in docs/needs.md."""

from collections.abc import Callable, Iterable
from itertools import groupby
from math import log

from nlmt.needs.curves import Curve
from nlmt.needs.points import PARTS, Point, read_points
from nlmt.needs.table import need

_HEAD = (
    "| job | input, MB | memory, MB | curve | exponent | CPU seconds | curve | exponent |",
    "| --- | --- | --- | --- | ---: | --- | --- | ---: |",
)
_NOTHING = 0.001
_FAR_APART = 2.0  # least factor between two sizes for an exponent


def needs_table() -> str:
    """The table in Markdown."""
    rows = list(_HEAD)
    for (rule, kind), group in groupby(read_points(), key=lambda point: (point.rule, point.kind)):
        points = list(group)
        found = need(rule, kind)
        largest = [
            max(of_part, key=lambda point: point.time_size_mb)
            for part in PARTS
            if (of_part := [point for point in points if point.part == part])
        ]
        missing = "" if len(largest) == len(PARTS) else f" ({', '.join(p.part for p in largest)})"
        name = f"`{rule}`" + (f", {kind}" if kind else "") + missing
        cells = [name, _numbers(point.time_size_mb for point in largest)]
        cells += [" / ".join(f"{point.memory_mb:.0f}" for point in largest), _curve(found.memory)]
        cells += [_exponent(largest, lambda point: (point.memory_size_mb, point.memory_mb))]
        cells += [_numbers(point.cpu_seconds for point in largest), _curve(found.time)]
        cells += [_exponent(largest, lambda point: (point.time_size_mb, point.cpu_seconds))]
        rows.append(f"| {' | '.join(cells)} |")
    return "".join(f"{row}\n" for row in rows)


def _numbers(numbers: Iterable[float]) -> str:
    return " / ".join(_short(number) for number in numbers)


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 99.5 else f"{number:.2g}"


def _curve(curve: Curve) -> str:
    if curve.slope == 0:
        return _short(curve.fixed)
    power = "" if curve.power == 1 else f"^{curve.power}"
    growing = f"{_short(curve.slope)} x{power}"
    return f"{_short(curve.fixed)} + {growing}" if curve.fixed > _NOTHING else growing


def _exponent(points: list[Point], value: Callable[[Point], tuple[float, float]]) -> str:
    (size, first), (other, last) = value(points[0]), value(points[-1])
    if min(size, first, last) <= 0 or other < _FAR_APART * size:
        return ""
    return f"{log(last / first) / log(other / size):.2f}"
