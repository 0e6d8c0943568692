"""Instructions and memory of the search, counted by valgrind, beside Moses2's.

    PATH=FOLDER:$PATH python -m benchmarks decoder_counters

As `decoder_moses2`, for some sentences and tuned weights. The counts of a text without sentences
are taken off; they do not depend on what else the machine does.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.decoder import INI, SEARCH, SOURCE, WEIGHTS
from benchmarks.decoder_moses2 import NLMT, decode_command, file_flags, write_inputs
from benchmarks.frames import Row
from nlmt.io.files import read_lines

SENTENCES = 50
# Valgrind's names of the counts, and ours.
COUNTS = {
    "I   refs": "instructions",
    "D   refs": "reads and writes",
    "D1  misses": "of them not in the first cache",
    "LL misses": "in no cache",
}


def run() -> Iterator[Row]:
    """Yield the counts for each word of the text, in thousands."""
    programs = {name: shutil.which(name) for name in ("moses2", "valgrind")}
    missing = [name for name, path in programs.items() if path is None]
    missing += [str(path) for path in (INI, WEIGHTS, SOURCE) if not path.exists()]
    if missing:
        yield {"step": "counters of decoding", "figure": f"not run: needs {missing[0]}"}
        return
    lines = list(read_lines(SOURCE))[:SENTENCES]
    words = sum(len(line.split()) for line in lines)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder, lines, tuned=True)
        ours, theirs = (
            _counts(decode_command(program, SEARCH.pop_limit), folder)
            for program in ([sys.executable, NLMT, "decode"], [str(programs["moses2"])])
        )
    for key, unit in COUNTS.items():
        yield {
            "step": f"pop limit {SEARCH.pop_limit}",
            "figure": round(ours[key] / words / 1000, 2),
            "unit": f"thousand {unit} a word",
            "reference_tool": "Moses2",
            "reference_figure": round(theirs[key] / words / 1000, 2),
            "note": f"{len(lines)} sentences, {words} words",
        }


def _counts(command: list[str], folder: Path) -> dict[str, int]:
    """The counts of the search, without those of loading."""
    nothing, text = (_counted(command, folder, name) for name in ("nothing", "text"))
    return {key: max(0, text[key] - nothing[key]) for key in COUNTS}


def _counted(command: list[str], folder: Path, text: str) -> dict[str, int]:
    """Count by valgrind what decoding a file of the folder on one thread takes."""
    counter = ["valgrind", "--tool=cachegrind", "--cache-sim=yes"]
    counter.append(f"--cachegrind-out-file={folder / 'counts'}")
    counted = [*counter, *command, *file_flags(folder, text, threads=1)]
    done = subprocess.run(counted, capture_output=True, text=True, check=True)
    return read_counts(done.stderr)


def read_counts(report: str) -> dict[str, int]:
    """The totals in a report of valgrind, by `COUNTS`."""
    found = re.findall(r"==\d+== ([\w ]+): +([\d,]+)", report)
    totals = {key: int(total.replace(",", "")) for key, total in found}
    return {key: totals[key] for key in COUNTS}
