"""Run the test suite again and again beside four times the machine's load: what fails?

    .venv/bin/python -m tests.acceptance.load build/load --runs 20 'COMMAND' 'COMMAND'

Each run is all commands (of pytest), one after the other, with a log in the folder. A run with
failures does not keep the next ones from being made.
"""

import argparse
import multiprocessing
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.long_runs import Record, add_option

ROOT = Path(__file__).parents[2]
LOAD = 4  # busy processes for each core
FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/\S+?(?:\[.*?\])?)(?: - .*)?$", flags=re.M)


def keep_busy(parent: int) -> None:
    """Compute for as long as the parent lives, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    while os.getppid() == parent:
        sum(range(100_000))


def failures(commands: list[str], log: Path) -> list[str]:
    """Run the commands; return what failed: tests, or a command that names none."""
    failed = []
    with log.open("w+") as file:
        for command in commands:
            begin = file.seek(0, os.SEEK_END)
            status = subprocess.run(
                shlex.split(command), cwd=ROOT, stdout=file, stderr=file, check=False
            ).returncode
            file.seek(begin)
            if status:
                failed += FAILED.findall(file.read()) or [f"{command} (status {status})"]
    return failed


def main() -> int:
    """Print what failed in each run, and the sum; 1 if anything did, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(description="Run tests beside four times the machine's load.")
    parser.add_argument("folder", type=Path, help="for the logs")
    parser.add_argument("--runs", type=int, default=1)
    add_option(parser)
    parser.add_argument("commands", nargs="+", help="each one argument")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    cores = len(os.sched_getaffinity(0))
    context = multiprocessing.get_context("fork")
    for _ in range(LOAD * cores):  # daemons end with this process
        context.Process(target=keep_busy, args=(os.getpid(),), daemon=True).start()
    began, counts = time.monotonic(), []
    record = Record(given.record, f"the suite beside {LOAD} times the load")
    try:
        for number in range(1, given.runs + 1):
            log = given.folder / f"run{number}.log"
            failed = failures(given.commands, log)
            counts.append(len(failed))
            record.add("all tests", 1, "runs", len(failed))
            print(f"run {number}: {len(failed)} failed ({log})", *failed, sep="\n    ", flush=True)
    except KeyboardInterrupt:
        return 130
    minutes = (time.monotonic() - began) / 60
    print(
        f"failures: {sum(counts)}, in {sum(map(bool, counts))} of {given.runs} runs beside"
        f" {LOAD * cores} busy processes on {cores} cores, {minutes:.0f} minutes"
    )
    return int(any(counts))


if __name__ == "__main__":
    sys.exit(main())
