"""Commands with one failing call to the system; all of it with NLMT_FAULT_POINTS, of each kind."""

import os
import subprocess
import sys
from pathlib import Path

from tests.acceptance.faults.failing_jobs.sitecustomize import ALLOCATIONS, KINDS, turns

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "golden"
MOST = os.environ.get("NLMT_FAULT_POINTS", "")
SHORT = ("--most", "1", "phrases", "evaluate")
# Prints how many threads allocated something; the first allocation of one of them fails.
DECODE = f"""
import ctypes, os, sys
from nlmt.cli import main
library = ctypes.CDLL(None)
library.arm({KINDS.index("first")}, ctypes.c_long(int(sys.argv[1])))
os.chdir({str(GOLDEN)!r})
status = main("decode -f moses.ini -i test5.fr -threads 1".split())
library.disarm()
print(library.counted({KINDS.index("first")}))
sys.exit(status)
"""


def compile_library(folder: Path, source: Path = HERE / "failing_calls.cpp") -> str:
    """The path of a library to preload, compiled into a folder."""
    library = str(folder / f"{source.stem}.so")
    compiler = [os.environ.get("CXX", "c++"), "-std=c++17", "-O1", "-shared", "-fPIC"]
    subprocess.run([*compiler, "-o", library, str(source), "-ldl"], check=True)
    return library


def test_a_failing_call_ends_in_a_message_and_the_next_run_in_the_same_bytes(
    tmp_path: Path,
) -> None:
    library = compile_library(tmp_path)
    chosen = ("--most", MOST) if MOST else SHORT
    done = subprocess.run(
        [sys.executable, "-m", "tests.unit.fault_points", library, *chosen],
        cwd=HERE.parents[1],
        env=os.environ | {"LD_PRELOAD": library},
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_thread_of_the_decoder_has_no_memory_before_its_first_sentence(tmp_path: Path) -> None:
    """Threads that load the model are before it; it is the last, as it is the only one."""
    library = compile_library(tmp_path)

    def decode(failing: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", DECODE, str(failing)],
            env=os.environ | {"LD_PRELOAD": library},
            capture_output=True,
            text=True,
            check=False,
        )

    whole = decode(-1)
    assert whole.returncode == 0, whole.stderr
    *translations, threads = whole.stdout.splitlines()
    assert len(translations) == 5
    failed = decode(int(threads))
    assert failed.returncode == 1, failed.stderr
    assert failed.stdout.splitlines() == [threads]
    assert failed.stderr.startswith("nlmt decode: out of memory")
    assert failed.stderr.count("\n") == 1


def test_each_call_of_a_job_has_its_turn() -> None:
    counts = [1000, 2, 0, 50, 3, 1, 4, 2]
    calls = turns(counts, "job")
    assert calls != sorted(calls)
    assert calls != turns(counts, "another job")
    calls.sort()
    assert [call for kind, call in calls if kind == 0][:3] == [1, 34, 67]
    assert sum(kind == 0 for kind, _ in calls) == ALLOCATIONS
    others = [(kind, call) for kind in range(1, 8) for call in range(1, counts[kind] + 1)]
    assert calls[ALLOCATIONS:] == others
    assert sorted(turns([2, 0, 0, 0, 0, 0, 0, 0], "job")) == [(0, 1), (0, 2)]
