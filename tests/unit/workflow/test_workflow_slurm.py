"""Slurm's configuration, as a program of that name answers."""

from pathlib import Path

import pytest

from nlmt.workflow.slurm import min_job_age, slurm_warnings

# A few lines of what `scontrol show config` of Slurm 22.05 prints.
ANSWER = """Configuration data as of 2026-11-24T10:00:00
MessageTimeout          = 10 sec
MinJobAge               = {age} sec
MpiDefault              = none
"""


@pytest.fixture
def scontrol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only program in PATH; writes nothing yet."""
    program = tmp_path / "scontrol"
    monkeypatch.setenv("PATH", str(tmp_path))
    return program


def answer(program: Path, text: str) -> None:
    lines = "".join(f"echo '{line}'\n" for line in text.splitlines())
    program.write_text(f"#!/bin/sh\n{lines}")
    program.chmod(0o755)


@pytest.mark.parametrize(("age", "warned"), [(2, True), (120, True), (300, False), (3600, False)])
def test_jobs_that_are_forgotten_too_early_are_warned_of(
    age: int, warned: bool, scontrol: Path
) -> None:
    answer(scontrol, ANSWER.format(age=age))
    assert min_job_age() == age
    found = slurm_warnings("squeue")
    assert [f"{age} seconds after their end" in text for text in found] == [True] * warned


def test_no_warning_where_slurm_does_not_say(scontrol: Path) -> None:
    assert min_job_age() is None  # there is no such program
    answer(scontrol, "slurm_load_ctl_conf error: Unable to contact slurm controller")
    assert min_job_age() is None
    assert slurm_warnings("squeue") == []


@pytest.mark.parametrize(
    ("age", "remedy"),
    [
        (300, "(take squeue, as profiles/slurm has it)"),
        (2, "(ask for a MinJobAge of 300, then take squeue, as profiles/slurm has it)"),
    ],
)
def test_sacct_is_warned_of(age: int, remedy: str, scontrol: Path) -> None:
    """Whoever followed the advice to take sacct is not sent back to squeue, which forgets jobs."""
    answer(scontrol, ANSWER.format(age=age))
    (warning,) = slurm_warnings("sacct")
    assert "scancel" in warning
    assert warning.endswith(remedy)
