"""Frames: the figures of a benchmark, a row each, as docs/results/ keeps them.

The first rows say where: machine, date, commit, and the yardstick of the machine. The figure of an
existing tool stands beside ours. Repeated measurements are rows that differ in the figure alone.
"""

import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from nlmt.provenance.environment import commit, processor

COLUMNS = ("step", "setting", "figure", "unit", "reference_tool", "reference_figure", "note")
_GPUS = Path("/proc/driver/nvidia/gpus")

Row = dict[str, object]


def keep(rows: Iterable[Row], path: Path, head: Iterable[Row]) -> Iterator[Row]:
    """Yield rows as they come, and write those with a figure, after `head`, to a frame.

    Each row is written at once, as a benchmark may be ended by its limit of time; the frame stays
    as it is if nothing was measured.
    """
    begun = False
    for row in rows:
        if measured(row):
            with path.open("a" if begun else "w", encoding="utf-8") as file:
                if not begun:
                    print(*COLUMNS, sep="\t", file=file)
                for one in (row,) if begun else (*head, row):
                    print(*(one.get(name, "") for name in COLUMNS), sep="\t", file=file)
            begun = True
        yield row


def show(row: Row) -> None:
    """Print a row of the table."""
    figures = [row.get(column, "") for column in ("figure", "reference_figure")]
    ours, theirs = (
        f"{one:,}" if isinstance(one, int) else f"{one:,.6g}" if isinstance(one, float) else one
        for one in figures
    )
    step = ", ".join(str(row[name]) for name in ("step", "setting") if row.get(name))
    reference = f"{row.get('reference_tool')}: {theirs}" if theirs else ""
    note = row.get("note", "")
    print(f"{step:64} {ours:>12} {row.get('unit', ''):20} {reference:24} {note}", flush=True)


def measured(row: Row) -> bool:
    """Whether a row has a figure; others say why there is none."""
    return isinstance(row.get("figure"), int | float)


def origin() -> list[Row]:
    """The rows that say where a frame was measured."""
    threads = len(os.sched_getaffinity(0))
    parts = [f"{threads} threads of {processor()}", *_gpus()]
    return [
        {"step": "machine", "figure": ", ".join(parts)},
        {"step": "date", "figure": f"{datetime.now(UTC):%Y-%m-%d}"},
        {"step": "commit", "figure": commit()[:10]},
    ]


def _gpus() -> Iterator[str]:
    """Models of NVIDIA's GPUs, as their driver names them."""
    for path in sorted(_GPUS.glob("*/information")):
        for line in path.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name == "Model":
                yield value.strip()
