"""Figures of long runs of tests, a row each, in a frame such as docs/results/long_runs.tsv.

A goal like an hour of fuzzing may be reached in several runs: docs/faults.md has the sums.
"""

import argparse
import os
from datetime import UTC, datetime
from pathlib import Path

from nlmt.provenance.environment import commit, processor

COLUMNS = ("test", "part", "cpu_s", "count", "unit", "findings", "commit", "date", "machine")


def add_option(parser: argparse.ArgumentParser) -> None:
    """Let the user of a long test name the frame that keeps its figures."""
    parser.add_argument("--record", type=Path, help="a frame (TSV) that gets a row for each part")


class Record:
    """Writes a row after each part of a long test, to a frame or nowhere."""

    def __init__(self, frame: Path | None, test: str):
        self._frame, self._test = frame, test
        self._spent = cpu_seconds()

    def add(self, part: str, count: int, unit: str, findings: int) -> None:
        """Write what one part did since the last one, with its time of the processor."""
        now = cpu_seconds()
        spent, self._spent = now - self._spent, now
        if self._frame is None:
            return
        begun = self._frame.exists()
        row = (self._test, part, f"{spent:.0f}", count, unit, findings, commit()[:10])
        with self._frame.open("a", encoding="utf-8") as file:
            if not begun:
                print(*COLUMNS, sep="\t", file=file)
            print(*row, f"{datetime.now(UTC):%Y-%m-%d}", processor(), sep="\t", file=file)


def cpu_seconds() -> float:
    """Return the time of the processor that this process and those that it waited for took."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
