"""Checks of a cluster's Slurm settings before Snakemake submits jobs."""

import re
import subprocess

# Snakemake's executor (2.8.0) queries the states of its jobs at least every 180 seconds; one that
# was forgotten in between seems lost. 300 is Slurm's default.
LEAST_JOB_AGE = 300
_TIMEOUT = 15  # seconds; a client without a controller takes ten
_JOB_AGE = re.compile(r"^MinJobAge\s*=\s*(\d+)", re.MULTILINE)


def slurm_warnings(status_command: str) -> list[str]:
    """Warnings of settings that may keep Snakemake from noticing that a job has ended.

    Args:
        status_command: with which the executor queries jobs, `squeue` or `sacct`.
    """
    age = min_job_age()
    forgets = age is not None and age < LEAST_JOB_AGE
    if status_command == "sacct":
        remedy = "take squeue, as profiles/slurm has it"
        if forgets:
            remedy = f"ask for a MinJobAge of {LEAST_JOB_AGE}, then {remedy}"
        return [
            "slurm-status-command: sacct: Snakemake's executor never notices jobs that scancel "
            f"ended ({remedy})"
        ]
    if not forgets:
        return []
    return [
        f"Slurm forgets jobs {age} seconds after their end (MinJobAge), before Snakemake may have "
        f"asked for them with squeue (ask for {LEAST_JOB_AGE}; until then slurm-status-command: "
        "sacct, where there is accounting, misses only jobs that scancel ended)"
    ]


def min_job_age() -> int | None:
    """Seconds for which Slurm remembers a job that has ended; None if it cannot be queried."""
    try:
        answer = subprocess.run(
            ["scontrol", "show", "config"], capture_output=True, text=True, timeout=_TIMEOUT
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _JOB_AGE.search(answer.stdout)
    return int(found[1]) if found else None
