"""The decoder beside Moses2 on the help corpus, French to English: time and mean model score.

    PATH=FOLDER:$PATH python -m benchmarks decoder_moses2

FOLDER has `moses2`, which Moses' sources build. Both programs read one moses.ini and run in turn;
the lowest of five times counts.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from benchmarks.children import children_seconds
from benchmarks.decoder import INI, SEARCH, SOURCE, WEIGHTS
from benchmarks.frames import Row
from nlmt.io.files import read_lines, write_lines
from nlmt.io.moses_ini import read_ini, write_ini
from nlmt.io.weights import read_weights

NLMT = str(Path(sys.executable).with_name("nlmt"))
TUNED = "tuned weights"
# Pop limits of nlmt; Moses2's is the first.
LIMITS = {TUNED: (SEARCH.pop_limit, 300), "weights before tuning": (SEARCH.pop_limit,)}
TURNS = 5
SCORE, CPU = "mean model score", "CPU s on one thread, without loading"
WALL = "s wall on two threads, with loading"


def run() -> Iterator[Row]:
    """Yield score, CPU time and wall time of each case, beside Moses2's."""
    moses2 = shutil.which("moses2")
    missing = [str(path) for path in (INI, WEIGHTS, SOURCE) if not path.exists()]
    if moses2 is None or missing:
        needed = "moses2 in PATH" if moses2 is None else missing[0]
        yield {"step": "decode", "figure": f"not run: needs {needed}"}
        return
    lines = list(read_lines(SOURCE))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for weights, limits in LIMITS.items():
            write_inputs(folder, lines, tuned=weights == TUNED)
            programs = [decode_command([NLMT, "decode"], limit) for limit in limits]
            programs.append(decode_command([moses2], SEARCH.pop_limit))
            for unit, (*ours, theirs) in _measure(programs, folder):
                for limit, figure in zip(limits, ours, strict=True):
                    yield {
                        "step": weights,
                        "setting": f"pop limit {limit}",
                        "figure": figure,
                        "unit": unit,
                        "reference_tool": f"Moses2, pop limit {SEARCH.pop_limit}",
                        "reference_figure": theirs,
                        "note": f"{len(lines)} sentences",
                    }


def write_inputs(folder: Path, lines: Iterable[str], *, tuned: bool) -> None:
    """Write a text, one without sentences, and moses.ini with its own or tuned weights."""
    write_lines(folder / "text", lines)
    write_lines(folder / "nothing", [])
    ini = read_ini(INI)
    write_ini(folder / "moses.ini", ini.with_weights(read_weights(WEIGHTS)) if tuned else ini)


def decode_command(program: list[str], limit: int) -> list[str]:
    """A program with the flags of the search, which both have from Moses."""
    flags = {
        "-search-algorithm": 1,
        "-stack": SEARCH.stack,
        "-cube-pruning-pop-limit": limit,
        "-distortion-limit": SEARCH.distortion_limit,
    }
    return [*program, *(str(part) for flag in flags.items() for part in flag)]


def file_flags(folder: Path, text: str, threads: int) -> list[str]:
    """The flags for moses.ini and a text of a folder."""
    return ["-f", f"{folder / 'moses.ini'}", "-i", f"{folder / text}", "-threads", f"{threads}"]


def _measure(programs: list[list[str]], folder: Path) -> Iterator[tuple[str, list[float]]]:
    """Yield a unit and the figures of the programs, in their order."""
    yield SCORE, [round(_score(command, folder), 4) for command in programs]
    turns = [[_turn(command, folder) for command in programs] for _ in range(TURNS)]
    lowest = [[min(times) for times in zip(*own, strict=True)] for own in zip(*turns, strict=True)]
    yield CPU, [round(translating - loading, 2) for loading, translating, _ in lowest]
    yield WALL, [round(wall, 2) for *_, wall in lowest]


def _turn(command: list[str], folder: Path) -> tuple[float, float, float]:
    """CPU seconds of loading, and of all on one thread; wall seconds on two threads."""
    loading, _ = _times(command, folder, "nothing", threads=1)
    translating, _ = _times(command, folder, "text", threads=1)
    _, wall = _times(command, folder, "text", threads=2)
    return loading, translating, wall


def _times(
    command: list[str], folder: Path, text: str, *, threads: int, more: Sequence[str] = ()
) -> tuple[float, float]:
    """CPU and wall seconds of decoding a file of the folder."""
    files = file_flags(folder, text, threads)
    before, start = children_seconds(), time.perf_counter()
    quiet = subprocess.DEVNULL
    subprocess.run([*command, *files, *more], stdout=quiet, stderr=quiet, check=True)
    return children_seconds() - before, time.perf_counter() - start


def _score(command: list[str], folder: Path) -> float:
    """Mean model score of the best translations, from the lists that the program writes."""
    path = folder / "nbest"
    _times(command, folder, "text", threads=2, more=["-n-best-list", str(path), "1"])
    best: dict[str, float] = {}  # Moses2 lists one more than it is asked for
    for line in read_lines(path):
        number, _, _, score = line.split("|||")[:4]
        best.setdefault(number, float(score))
    return sum(best.values()) / len(best)
