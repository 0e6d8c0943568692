"""Commands with one failing call to the system; all of it with NLMT_FAULT_POINTS, of each kind."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
MOST = os.environ.get("NLMT_FAULT_POINTS", "")
SHORT = ("--most", "1", "phrases", "evaluate")


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
        [sys.executable, str(HERE / "fault_points.py"), library, *chosen],
        env=os.environ | {"LD_PRELOAD": library},
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
