"""The suite beside other load (`make acceptance-load`), with stand-ins for most of the suite."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from acceptance import load

ROOT = Path(__file__).parents[2]
LOAD = [sys.executable, "-m", "tests.acceptance.load"]
# Fails in the first run; says how many processes are at work beside it.
STAND_IN = """\
import os, pathlib, sys
parent = os.getppid()
beside = pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
print("beside", len(beside) - 1)
print("ERROR of something in the log")
first = pathlib.Path(sys.argv[1])
if not first.exists():
    first.touch()
    print("FAILED tests/unit/test_a.py::test_b[c - d] - AssertionError: x")
    print("ERROR tests/unit/test_e.py")
    sys.exit(1)
"""


def command(*arguments: object) -> str:
    return shlex.join([sys.executable, "-c", *map(str, arguments)])


def test_a_failed_run_is_told_and_the_next_one_made(tmp_path: Path) -> None:
    cores = len(os.sched_getaffinity(0))
    silent = command("import sys; sys.exit(3)")
    commands = [command(STAND_IN, tmp_path / "first"), command("print('fine')")]
    arguments = [*LOAD, str(tmp_path / "logs"), "--runs", "2"]
    done = subprocess.run(
        [*arguments, *commands], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "")
    first, *names, second, result = done.stdout.splitlines()
    assert first == f"run 1: 2 failed ({tmp_path}/logs/run1.log)"
    assert names == ["    tests/unit/test_a.py::test_b[c - d]", "    tests/unit/test_e.py"]
    assert second == f"run 2: 0 failed ({tmp_path}/logs/run2.log)"
    assert result.startswith(f"failures: 2, in 1 of 2 runs beside {4 * cores} busy processes")
    for number in (1, 2):
        log = (tmp_path / f"logs/run{number}.log").read_text().splitlines()
        assert (log[0], log[-1]) == (f"beside {4 * cores}", "fine")
    assert load.failures([silent], tmp_path / "log") == [f"{silent} (status 3)"]


def test_real_tests_pass_beside_the_load(tmp_path: Path) -> None:
    tests = "-p no:cacheprovider tests/unit/io/test_temporary.py"
    suite = f"{shlex.quote(sys.executable)} -m pytest {tests}"
    done = subprocess.run(
        [*LOAD, str(tmp_path), suite], cwd=ROOT, capture_output=True, text=True, check=False
    )
    log = (tmp_path / "run1.log").read_text()
    assert (done.returncode, done.stderr) == (0, ""), log
    assert done.stdout.startswith("run 1: 0 failed ")
    assert "2 passed" in log


def test_ctrl_c_ends_all_of_it(tmp_path: Path) -> None:
    there = tmp_path / "there"
    code = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"
    waiting = command(code, there)
    process = subprocess.Popen([*LOAD, str(tmp_path), waiting], cwd=ROOT, start_new_session=True)
    while not there.exists():
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait() == 130
    while True:  # until no process of the group is left
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.01)
