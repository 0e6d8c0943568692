"""Phrase extraction, scoring and reordering of the help corpus, French to English."""

import os
import tempfile
import time
from pathlib import Path

from benchmarks.frames import Row
from nlmt.phrases import TablePaths, build_tables

PAIR = Path("results/help/fr-en")
SOURCE = PAIR / "text/train.fr.gz"
TARGET = PAIR / "text/train.en.gz"
ALIGNED = PAIR / "tm/aligned.gz"
# Moses, steps 4 to 7 of its training, on 31,000 pairs.
MOSES_SECONDS = 150


def run() -> list[Row]:
    """Seconds that all tables take, from the aligned texts of the demo to the compressed files."""
    threads = len(os.sched_getaffinity(0))
    row: Row = {
        "step": "phrase extraction, scoring, reordering",
        "reference_tool": "Moses, steps 4 to 7",
    }
    missing = [str(path) for path in (SOURCE, TARGET, ALIGNED) if not path.exists()]
    if missing:
        return [row | {"figure": f"not run: needs {missing[0]}", "note": "make demo"}]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        outputs = TablePaths(
            folder / "phrases.gz", folder / "reordering.gz", folder / "f2e", folder / "e2f"
        )
        wall, cpu = time.perf_counter(), time.process_time()
        counts = build_tables(SOURCE, TARGET, ALIGNED, outputs, threads=threads)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    note = f"{counts.phrase_pairs} phrase pairs, {threads} threads"
    return [
        row
        | {
            "figure": round(wall, 1),
            "unit": "s wall",
            "reference_figure": MOSES_SECONDS,
            "note": note,
        },
        row | {"figure": round(cpu, 1), "unit": "CPU s", "note": note},
    ]
