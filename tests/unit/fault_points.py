"""Let calls to the system fail, one in each run of a command: no abort, traceback or lost bytes.

Run with `failing_calls.cpp` preloaded (test_fault_points.py); prints a line for each command and
kind of call: how many there were, how many failed, and what was wrong.
"""

import argparse
import ctypes
import hashlib
import importlib
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from nlmt.cli import main as nlmt
from nlmt.errors import InputError
from nlmt.phrases.tables import TablePaths, build_tables
from nlmt.provenance import Store
from tests.acceptance.faults.failing_jobs.sitecustomize import KINDS

GOLDEN = Path(__file__).parents[1] / "golden"
COMPILED = ("decoder._decoder", "evaluation._statistics", "io._lattice", "io._links", "io._nbest")
COMPILED += ("neural._kernel", "neural._text", "phrases._phrases", "rescoring._states")
COMPILED += ("tuning._mert",)
SECONDS = 120  # that a command may hang
SHOWN = 1500  # characters of its messages


def phrases() -> int:
    texts = [Path(name) for name in ("few.fr", "few.en", "few.links")]
    names = ("train.fr", "train.en", "aligned.grow-diag-final-and")
    for path, name in zip(texts, names, strict=True):
        lines = (GOLDEN / name).read_text().splitlines(keepends=True)
        path.write_text("".join(lines[:200]))
    outputs = TablePaths(*(Path(f"results/{name}") for name in ("t.gz", "r.gz", "f2e", "e2f")))
    build_tables(*texts, outputs, threads=2)
    for made in (outputs.f2e, outputs.e2f):
        Store().made(made, "phrases")
    return 0


def decode() -> int:
    results = Path.cwd() / "results"
    os.chdir(GOLDEN)  # where the paths of moses.ini lead from
    lists = f"-n-best-list {results}/list.gz 20 distinct -output-lattice {results}/lattices"
    graphs = f"-output-search-graph-slf {results}/slf"
    return nlmt(f"decode -f moses.ini -i test5.fr {lists} {graphs} -threads 2".split())


def train() -> int:
    Path("model.yaml").write_text("{dim: 8, epochs: 2, output: full}\n")
    return run_command(
        "lm train --config model.yaml --train GOLDEN/dev.en --dev GOLDEN/test.en"
        " --out results/model --resume --threads 2"
    )


def run_command(text: str) -> int:
    return nlmt(text.replace("GOLDEN", str(GOLDEN)).split())


COMMANDS: dict[str, Callable[[], int]] = {
    "phrases": phrases,
    "binarise": partial(
        run_command,
        "binarise --phrase-table GOLDEN/model/phrase-table.gz --reordering-table"
        " GOLDEN/model/reordering-table.wbe-msd-bidirectional-fe.gz --out results/tables.bin"
        " --threads 2",
    ),
    "decode": decode,
    "rescore": partial(
        run_command,
        "rescore --nbest GOLDEN/output/cube.nbest.gz --model GOLDEN/model/lm.arpa.gz"
        " --label LM9 --out results/list.gz",
    ),
    "tune": partial(
        run_command,
        "tune --nbest GOLDEN/output/cube.nbest.gz --reference GOLDEN/test.en"
        " --weights GOLDEN/moses.ini --out results/weights.json --restarts 2 --threads 2",
    ),
    "evaluate": partial(
        run_command,
        "evaluate --hypotheses GOLDEN/output/cube.out --reference GOLDEN/test.en"
        " --resamples 20 --json results/scores.json --threads 2",
    ),
    "train": train,
}


def content(folder: Path) -> dict[str, str]:
    """The hashes of all files that a command wrote, but for their times."""
    files = (path for path in sorted((folder / "results").rglob("*")) if path.is_file())
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.name not in ("log.tsv", "metrics.json") and "provenance" not in path.parts
    }


def run(
    library: ctypes.CDLL, command: Callable[[], int], folder: Path, kind: int, call: int
) -> tuple[int, str, list[int]]:
    """Run a command in a process of its own: status (negative: a signal), messages, calls."""
    (folder / "results").mkdir(exist_ok=True)
    counts, messages = folder / "counts", folder / "messages"
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.chdir(folder)
        handle = os.open(messages, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(handle, stream)
        status = 3
        try:
            library.arm(kind, call)
            status = command()
        except (InputError, OSError, MemoryError) as error:
            print(error, file=sys.stderr)
            status = 1
        except BaseException as error:
            print(f"Traceback: {error!r}", file=sys.stderr)
        library.disarm()
        np.save(counts, [library.counted(kind) for kind in range(len(KINDS))])
        sys.stderr.flush()
        os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    found = np.load(f"{counts}.npy").tolist() if status >= 0 else []
    return status, messages.read_text(errors="replace"), found


def fault(
    library: ctypes.CDLL, command: Callable[[], int], whole: dict[str, str], kind: int, call: int
) -> str:
    """The fault of a run in which one call fails, or of the run after it; empty: none."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        status, said, _ = run(library, command, folder, kind, call)
        if status not in (0, 1) or "Traceback" in said:
            return f"status {status}: {said[:SHOWN]}"
        if status == 0 and KINDS[kind] == "sync":
            return "it ended well, though the disk may lack a file"
        found = content(folder)
        if status == 0 and found != whole:
            return "it ended well, with other bytes"
        if [path for path in found if Path(path).name.startswith(".")]:
            return f"left behind: {', '.join(found)}"
        if status == 1 and not said.strip():
            return "no message"
        status, said, _ = run(library, command, folder, -1, 0)
        if status != 0 or content(folder) != whole:
            return f"the next run: status {status}, {said[-300:]}"
    return ""


def main() -> int:
    """Let calls of each command fail; the number of findings."""
    parser = argparse.ArgumentParser(description="Let calls to the system fail one by one.")
    parser.add_argument("library", help="failing_calls.cpp, compiled, which must be preloaded")
    parser.add_argument("--most", type=int, default=2, help="points of each command and kind (2)")
    parser.add_argument("commands", nargs="*", help="all, if none is named")
    given = parser.parse_intermixed_args()
    library = ctypes.CDLL(given.library)
    library.counted.restype = ctypes.c_long
    library.arm.argtypes = [ctypes.c_int, ctypes.c_long]
    for name in (*(f"nlmt.{name}" for name in COMPILED), "nlmt.cli.evaluate", "sacrebleu"):
        importlib.import_module(name)  # once for all runs
    findings = 0
    for name in given.commands or COMMANDS:
        command = COMMANDS[name]
        with tempfile.TemporaryDirectory() as folder:
            status, said, counts = run(library, command, Path(folder), -1, 0)
            assert status == 0, said
            whole = content(Path(folder))
        for kind, count in enumerate(counts):
            points = np.unique(np.linspace(1, count, min(count, given.most), dtype=int)).tolist()
            wrong = {
                point: what
                for point in points
                if (what := fault(library, command, whole, kind, point))
            }
            findings += len(wrong)
            print(f"{name:10}{KINDS[kind]:12}{count:10,}{len(points):8}{len(wrong):6}", flush=True)
            for point, what in list(wrong.items())[:3]:
                print(f"    {point}: {what}", flush=True)
    return findings


if __name__ == "__main__":
    sys.exit(min(main(), 100))
