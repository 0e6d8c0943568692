"""The sentences that changed most, and their systems, for the page of a paper."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from nlmt.papers.overview import METRIC
from nlmt.papers.results import system_of
from nlmt.report.changes import Changes, read_changes

SYSTEMS = 6  # of a language pair, at most
SENTENCES = 10  # of a system, at most
RULE = (
    f"For each table on {METRIC}, the system with the highest in its first such column (at most "
    f"{SYSTEMS} systems of a pair), against the system that it is compared with: the first tuning "
    f"run on the first test set, and the {SENTENCES} sentences whose chrF changed most. Words that "
    "the other translation does not have in their place are marked."
)


def best_systems(tables: Iterable[pd.DataFrame], pair: str, known: Collection[str]) -> list[str]:
    """The systems with the highest BLEU of each table, in the tables' order, at most `SYSTEMS`.

    Different columns may have scores of different test sets: only the first column counts.
    """
    best = []
    for frame in tables:
        # A value without a signature is a score on the tuning set, or a difference.
        of_test = (frame["unit"] == METRIC) & (frame["signature"] != "")
        wanted = (frame["pair"] == pair) & frame["part"].map(system_of).isin(list(known))
        scores = frame[of_test & wanted & frame["value"].notna()]
        if len(scores):
            column = scores[scores["column"] == scores["column"].iloc[0]]
            best.append(system_of(column.loc[column["value"].idxmax(), "part"]))
    return list(dict.fromkeys(best))[:SYSTEMS]


def read_best_changes(
    tables: Mapping[str, pd.DataFrame], pairs: Sequence[str], paths: Iterable[Path | str]
) -> dict[str, list[Changes]]:
    """Changes in the sentences of the best systems, by language pair.

    Paths are `<pair>/report/side-by-side/<system>.json` of each system that may be shown.
    """
    files: dict[str, dict[str, Path]] = {pair: {} for pair in pairs}
    for path in map(Path, paths):
        files[path.parents[2].name][path.stem] = path
    return {
        pair: [read_changes(known[name]) for name in best_systems(tables.values(), pair, known)]
        for pair, known in files.items()
    }
