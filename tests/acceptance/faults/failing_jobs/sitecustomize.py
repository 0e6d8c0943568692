"""Let one call to the system fail in the first attempt of each job (test_faults_calls.py).

Python imports it at its start. `NLMT_FAULTS` is a folder with the state of each job: its counts of
calls, from a run in which none fails (`NLMT_FAULT_TURN` is not set), then how its attempt ended.
"""

import atexit
import ctypes
import hashlib
import json
import os
import random
import re
import sys
from pathlib import Path

# As in failing_calls.cpp.
KINDS = ("allocation", "thread", "open", "write", "rename", "sync", "folder sync", "first")
ALLOCATIONS = 30  # of each job, evenly spread; of the other kinds all calls fail


def turns(counts: list[int], key: str) -> list[tuple[int, int]]:
    """The kind and number of the call of a job that fails in each run, until all have.

    The order is drawn, so that the first runs have some of each kind.
    """
    allocations, *others = counts
    some = min(allocations, ALLOCATIONS)
    calls = [(0, 1 + turn * allocations // some) for turn in range(some)]
    for kind, count in enumerate(others, start=1):
        calls += [(kind, call) for call in range(1, count + 1)]
    random.Random(key).shuffle(calls)  # noqa: S311
    return calls


def disturb(script: bytes, folder: Path, turn: str | None) -> None:
    """Count the calls of this job, or let one of them fail if it is the first attempt."""
    library = ctypes.CDLL(None)
    library.counted.restype = ctypes.c_long
    library.arm.argtypes = [ctypes.c_int, ctypes.c_long]
    paths = sorted(set(re.findall(rb"results/[\w./-]+", script)))
    key = hashlib.sha256(b"\n".join(paths)).hexdigest()[:16]
    log = next(path for path in paths if path.endswith(b".log")).decode()
    if turn is None:
        library.arm(-1, 0)
        atexit.register(_write_counts, library, folder / f"{key}.counts")
        return
    attempt = folder / f"{key}.attempt"
    if attempt.exists():
        return
    counts = json.loads((folder / f"{key}.counts").read_text())
    calls = turns(counts, key)
    if int(turn) > len(calls):
        return
    kind, call = calls[int(turn) - 1]
    state = {"log": log, "kind": KINDS[kind], "call": call, "of": counts[kind]}
    attempt.write_text(json.dumps(state))
    atexit.register(_write_end, library, attempt, state)
    library.arm(kind, call)


def _write_counts(library: ctypes.CDLL, path: Path) -> None:
    library.disarm()
    path.write_text(json.dumps([library.counted(kind) for kind in range(len(KINDS))]))


def _write_end(library: ctypes.CDLL, path: Path, state: dict[str, object]) -> None:
    library.disarm()
    log = Path(str(state["log"]))
    said = log.read_text(errors="replace") if log.exists() else ""
    reached = library.counted(KINDS.index(str(state["kind"]))) >= int(str(state["call"]))
    path.write_text(json.dumps({**state, "reached": reached, "said": said}))


if any("/.snakemake/scripts/" in argument for argument in sys.orig_argv):
    disturb(
        Path(sys.orig_argv[-1]).read_bytes(),
        Path(os.environ["NLMT_FAULTS"]),
        os.environ.get("NLMT_FAULT_TURN"),
    )
