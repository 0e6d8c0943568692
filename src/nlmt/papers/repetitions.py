"""Two repetitions of a paper with disjoint seeds: their verdicts side by side, and their spread."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, variance
from typing import Any

from nlmt.papers.pages import PaperResults
from nlmt.papers.paper import PAPERS
from nlmt.papers.publish import RECORD, published_places, read_published_pair
from nlmt.papers.results import records, run_values
from nlmt.papers.verdicts import Verdict

_KEY = ("claim", "pair", "training")


@dataclass(frozen=True)
class Spread:
    """How far the differences of two repetitions lie apart.

    The test sentences are the same in both, so that only the runs differ: `expected` is the
    variance of the mean difference between two systems by the runs of each repetition, summed.

    Attributes:
        unit: of the differences.
        comparisons: their number.
        observed: sum of the squares of what the two repetitions' differences differ by.
        expected: sum of the variances of the same.
    """

    unit: str
    comparisons: int
    observed: float
    expected: float

    @property
    def deviation(self) -> float:
        """Standard deviation of what they differ by, in units of the expected one; about 1."""
        return math.sqrt(self.observed / self.expected) if self.expected else math.nan


def compare_repetitions(one: Path, other: Path, values: Path) -> tuple[list[str], list[Spread]]:
    """The verdicts of two repetitions, a line each, and their spread by unit.

    Args:
        one: folder of `nlmt papers publish`.
        other: of the same papers, scales and pairs, with other seeds.
        values: the folder of the published values and claims.

    Raises:
        InputError: a missing or damaged file.
    """
    lines, differences = [], []
    for key in PAPERS.names():
        for place in published_places(one, key):
            second = other / place.relative_to(one)
            if (second / RECORD).exists():
                both = [read_published_pair(folder, values) for folder in (place, second)]
                lines += list(_verdicts(*both))
                differences += list(_differences(*both))
    units = dict.fromkeys(unit for unit, _, _ in differences)
    return lines, [_spread(unit, differences) for unit in units]


def _verdicts(one: PaperResults, other: PaperResults) -> Iterator[str]:
    """A line for each finding: both verdicts, marked where one is opposite to the other."""
    second = {tuple(row[key] for key in _KEY): row for row in records(other.verdicts)}
    for row in records(one.verdicts):
        key = tuple(row[name] for name in _KEY)
        if key in second:
            verdicts = row["verdict"], second[key]["verdict"]
            mark = "!" if {*verdicts} == {Verdict.HOLDS, Verdict.OPPOSITE} else " "
            name = " ".join(filter(None, key))
            yield f"{mark} {verdicts[0]:24} {verdicts[1]:24} {one.key} {name}"


def _differences(one: PaperResults, other: PaperResults) -> Iterator[tuple[str, float, float]]:
    """Of each comparison: its unit, what both differ by, and the variance of that by the runs."""
    cells = [_runs(one), _runs(other)]
    seen = set()
    for row in records(one.comparisons):
        names = row["table"], row["better"], row["worse"]
        found = [
            [of.get((row["table"], row["pair"], row[side])) for side in ("better", "worse")]
            for of in cells
        ]
        if names in seen or not all(runs for both in found for runs in both):
            continue
        seen.add(names)
        differences = [[a - b for a, b in zip(*both, strict=False)] for both in found]
        if all(len(runs) > 1 for runs in differences):
            apart = fmean(differences[0]) - fmean(differences[1])
            yield row["unit"], apart, sum(variance(runs) / len(runs) for runs in differences)


def _runs(results: PaperResults) -> Mapping[tuple[str, str, str], Sequence[float]]:
    """The runs of each cell by table, pair and name; none of times, which runs do not repeat."""
    return {
        (name, row["pair"], f"{row['row']}, {row['column']}"): run_values(row)
        for name, frame in results.tables.items()
        for row in records(frame)
        if not row["machine"]
    }


def _spread(unit: str, differences: Sequence[tuple[str, float, float]]) -> Spread:
    own: list[tuple[Any, ...]] = [one for one in differences if one[0] == unit]
    observed, expected = sum(d * d for _, d, _ in own), sum(v for _, _, v in own)
    return Spread(unit, len(own), observed, expected)
