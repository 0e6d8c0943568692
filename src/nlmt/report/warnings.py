"""Warnings for readers of results."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from nlmt.report.table import records
from nlmt.report.tuned import TunedRun

_CLEAR = 0.1  # BLEU: dev and test contradict each other only if a gain is at least this large
_LENGTH_TOLERANCE = 0.03


def result_warnings(
    results: pd.DataFrame,
    tuned: Mapping[str, Sequence[TunedRun]],
    *,
    rescored: Sequence[str] = (),
) -> list[str]:
    """A sentence for each suspicious result, system by system.

    Systems that are `rescored` rerank the translations of another one.
    """
    found = []
    for row in records(results):
        name = row["system"]
        found += [f"{name}: {message}" for message in _of_system(row, name in rescored)]
        found += [
            f"{name}, run {run.seed}: {message}"
            for run in tuned.get(name, ())
            for message in run.warnings
        ]
    return found


def _of_system(row: Mapping[str, Any], is_rescored: bool) -> list[str]:
    gain, on_dev, spread = row["difference"], row["dev_difference"], row["stdev"]
    found = []
    if on_dev is not None and on_dev < 0 and is_rescored:
        found.append(f"rescored, it is {-on_dev:.2f} BLEU below its baseline on dev")
    if (
        gain is not None
        and on_dev is not None
        and gain * on_dev < 0
        and max(abs(gain), abs(on_dev)) >= _CLEAR
    ):
        found.append(f"its gain is {on_dev:+.2f} BLEU on dev, but {gain:+.2f} on test")
    if gain is not None and spread is not None and spread > abs(gain):
        found.append(f"its runs spread by {spread:.2f} BLEU, more than its gain of {gain:+.2f}")
    length = row["length"]
    if length is not None and abs(length - 1) > _LENGTH_TOLERANCE:
        extent = "short" if length < 1 else "long"
        found.append(
            f"translations of test are too {extent}: {length:.3f} times the length of the "
            "references"
        )
    return found
