"""Repetitions of a paper with disjoint seeds: their verdicts side by side, and their spread."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from nlmt.errors import InputError
from nlmt.papers.pages import PaperResults
from nlmt.papers.paper import PAPERS
from nlmt.papers.publish import published_places, read_published_pair
from nlmt.papers.published_runs import RECORD
from nlmt.papers.results import records, run_values
from nlmt.papers.verdicts import Verdict

_KEY = ("claim", "pair", "training")
_DIVISIONS = 999
_MIDDLE = 0.05, 0.95
_SPREAD = ["unit", "comparisons", "deviation", "low", "high"]

_Spread = tuple[str, int, float, float, float]  # a row, by the columns of `_SPREAD`
_Differences = Sequence[Sequence[float]]  # of one comparison: its differences by repetition and run


def compare_repetitions(folders: Sequence[Path], values: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The verdicts of all repetitions, and how far their differences lie apart.

    The test sentences are the same in all, so that only the runs differ. `deviation` is the root of
    the ratio of two variances, each summed over comparisons: of a run by the repetitions' means and
    by the runs within a repetition (analysis of variance of one factor). It is about 1 where runs
    are independent. As comparisons share systems and runs, the same runs divided at random show how
    far from 1 it is by chance.

    Args:
        folders: of `nlmt papers publish`, two or more, each with other seeds; what is not in all of
            them is left out.
        values: the folder of the published values and claims.

    Returns:
        Verdicts: a row for each finding with `paper`, `claim`, `pair`, `training`, and the verdict
        of each repetition under its number. Spread: for each `unit` of differences, and for "all",
        where each unit's ratio counts by its `comparisons`, their `deviation`; 5 % of random
        divisions into repetitions of the same sizes are below `low`, 5 % above `high`.

    Raises:
        InputError: a missing or damaged file; nothing that is in all folders.
    """
    verdicts: list[dict[str, str]] = []
    differences: list[tuple[str, _Differences]] = []
    for key in PAPERS.names():
        for place in published_places(folders[0], key):
            places = [folder / place.relative_to(folders[0]) for folder in folders]
            if all((other / RECORD).exists() for other in places):
                repetitions = [read_published_pair(other, values) for other in places]
                verdicts += _verdicts(repetitions)
                differences += _differences(repetitions)
    if not verdicts:
        what = f"no paper, scale and pair that is also in {' and '.join(map(str, folders[1:]))}"
        hint = "name folders of `nlmt papers publish --out`"
        raise InputError(what, path=folders[0], hint=hint)
    numbers = [str(number) for number in range(1, len(folders) + 1)]
    frame = pd.DataFrame(verdicts, columns=["paper", *_KEY, *numbers])
    return frame, pd.DataFrame(_spreads(differences), columns=_SPREAD)


def reversed_findings(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The findings that hold in one repetition and are opposite in another."""
    holds, opposite = (verdicts == one for one in (Verdict.HOLDS, Verdict.OPPOSITE))
    return verdicts[holds.any(axis=1) & opposite.any(axis=1)]


def _verdicts(repetitions: Sequence[PaperResults]) -> Iterator[dict[str, str]]:
    """A row for each finding that all repetitions have."""
    found = [
        {tuple(row[name] for name in _KEY): row["verdict"] for row in records(one.verdicts)}
        for one in repetitions
    ]
    for key in found[0]:
        if all(key in verdicts for verdicts in found):
            row = {"paper": repetitions[0].key, **dict(zip(_KEY, key, strict=True))}
            yield row | {str(number): one[key] for number, one in enumerate(found, 1)}


def _differences(repetitions: Sequence[PaperResults]) -> Iterator[tuple[str, _Differences]]:
    """Of each comparison: its unit, and the difference of each run of each repetition."""
    cells = [_runs(one) for one in repetitions]
    seen = set()
    for row in records(repetitions[0].comparisons):
        names = row["table"], row["better"], row["worse"]
        found = [
            [of.get((row["table"], row["pair"], row[side])) for side in ("better", "worse")]
            for of in cells
        ]
        if names in seen or not all(runs for both in found for runs in both):
            continue
        seen.add(names)
        runs = [[a - b for a, b in zip(*both, strict=False)] for both in found]
        if all(len(one) > 1 for one in runs):
            yield row["unit"], runs


def _runs(results: PaperResults) -> Mapping[tuple[str, str, str], Sequence[float]]:
    """The runs of each cell by table, pair and name; none of times, which runs do not repeat."""
    return {
        (name, row["pair"], f"{row['row']}, {row['column']}"): run_values(row)
        for name, frame in results.tables.items()
        for row in records(frame)
        if not row["machine"]
    }


def _spreads(differences: Sequence[tuple[str, _Differences]]) -> list[_Spread]:
    """The spread of each unit and of all; comparisons of fewer runs than most are left out."""
    if not differences:
        return []
    sizes = Counter(tuple(map(len, runs)) for _, runs in differences).most_common(1)[0][0]
    by_unit: dict[str, list[list[float]]] = {}
    for unit, runs in differences:
        if tuple(map(len, runs)) == sizes:
            by_unit.setdefault(unit, []).append([value for one in runs for value in one])
    random = np.random.default_rng(1)
    orders = [np.arange(sum(sizes))]
    orders += [random.permutation(sum(sizes)) for _ in range(_DIVISIONS)]
    ratios = {
        unit: np.array([_ratio(np.array(runs)[:, order], sizes) for order in orders])
        for unit, runs in by_unit.items()
    }
    counts = {unit: len(runs) for unit, runs in by_unit.items()}
    total = sum(counts.values())
    together = np.sum([ratios[unit] * count / total for unit, count in counts.items()], axis=0)
    found = []
    for unit, own in {**ratios, "all": together}.items():
        deviations = np.sqrt(own)
        low, high = np.quantile(deviations[1:], _MIDDLE).tolist()
        found.append((unit, counts.get(unit, total), float(deviations[0]), low, high))
    return found


def _ratio(runs: np.ndarray, sizes: Sequence[int]) -> float:
    """Variance of a run by the repetitions' means over that within them; 1 where neither varies.

    Args:
        runs: (comparisons, runs), those of a repetition side by side.
        sizes: number of runs of each repetition.
    """
    parts = np.split(runs, np.cumsum(sizes)[:-1], axis=1)
    mean = runs.mean(axis=1)
    between = sum(
        size * np.sum((part.mean(axis=1) - mean) ** 2)
        for size, part in zip(sizes, parts, strict=True)
    ) / (len(sizes) - 1)
    within = sum(np.sum((part - part.mean(axis=1, keepdims=True)) ** 2) for part in parts) / (
        sum(sizes) - len(sizes)
    )
    return float(between / within) if within else 1.0
