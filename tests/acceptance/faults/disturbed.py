"""The tiny workflow, disturbed: how it is started, what it said, what it left behind."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nlmt.provenance.store import JobRecord, Store
from tests.workflow.conftest import (
    differences,
    half_written,
    make_project,
    run_snakemake,
    snakemake_command,
)


@dataclass(frozen=True)
class Finished:
    """An undisturbed run: its project folder, and how many seconds it took."""

    folder: Path
    seconds: float

    def jobs(self) -> list[JobRecord]:
        """The records of all jobs."""
        return list(Store(self.folder / "results/provenance").jobs().values())


def run_undisturbed(folder: Path) -> Finished:
    """Run the tiny workflow in a folder."""
    began = time.monotonic()
    result = run_snakemake(make_project(folder), "reports")
    assert result.returncode == 0, result.stdout + result.stderr
    return Finished(folder, time.monotonic() - began)


@contextmanager
def started(folder: Path, *arguments: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """Snakemake at work in a folder, in a process group of its own; it ends with the block."""
    with (folder / "snakemake.out").open("w") as out:
        process = subprocess.Popen(
            snakemake_command(folder, *arguments),
            cwd=folder,
            env=os.environ | variables,
            stdout=out,
            stderr=out,
            text=True,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def killed(folder: Path, seconds: float, target: str = "reports", **variables: str) -> bool:
    """Run the workflow and kill all of it after so long; whether it was still at work."""
    with started(folder, target, **variables) as process:
        try:
            assert process.wait(seconds) == 0, said(folder)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return True
    return False


def killed_after(folder: Path, jobs: int, target: str, **variables: str) -> bool:
    """Run the workflow and kill all of it once so many jobs have ended; whether as many did."""
    goal = ended(folder) + jobs
    with started(folder, target, **variables) as process:
        while process.poll() is None:
            if ended(folder) >= goal:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return True
            time.sleep(0.01)
        assert process.returncode == 0, said(folder)
    return False


def ended(folder: Path) -> int:
    """Number of jobs that have ended, by the files with their times."""
    return sum(1 for _ in (folder / "results/benchmarks").rglob("*.tsv"))


def said(folder: Path) -> str:
    """What the Snakemake of `started` has said."""
    return (folder / "snakemake.out").read_text()


def wait_until(ready: Callable[[], object], folder: Path, process: subprocess.Popen[str]) -> None:
    """Wait for something that happens while Snakemake runs."""
    while not ready():
        assert process.poll() is None, said(folder)
        time.sleep(0.01)


def error_of(output: str) -> str:
    """The first message of a job's error, for the table."""
    found = re.search(r"error: (.*)", output)
    assert found, output
    return found[1]


def recovered(folder: Path, *arguments: str, **variables: str) -> str:
    """Run the same command again, which must end well; what it said."""
    result = run_snakemake(folder, *(arguments or ("reports",)), **variables)
    output = result.stdout + result.stderr
    assert result.returncode == 0, output
    assert half_written(folder) == []
    return output


def unchanged(finished: Finished, folder: Path) -> None:
    """Hold a project to the bytes of an undisturbed run."""
    found = differences(finished.folder, folder)
    assert found == [], found
    assert half_written(folder) == []
