"""What a cluster's Slurm would do to jobs of Snakemake, asked before the first one is submitted."""

import re
import subprocess

# Snakemake's executor (2.8.0) asks for the states of its jobs every 180 seconds at the latest; one
# that was forgotten in between seems to be lost. 300 is Slurm's default.
LEAST_JOB_AGE = 300
_TIMEOUT = 15  # seconds; a client that finds no controller takes ten
_JOB_AGE = re.compile(r"^MinJobAge\s*=\s*(\d+)", re.MULTILINE)


def slurm_warnings(status_command: str) -> list[str]:
    """What may keep Snakemake from noticing that a job has ended; nothing where all is well.

    Args:
        status_command: by which the executor asks, `squeue` or `sacct`.
    """
    if status_command == "sacct":
        return [
            "slurm-status-command: sacct: Snakemake's executor never notices jobs that scancel "
            "ended (take squeue, as profiles/slurm has it)"
        ]
    age = min_job_age()
    if age is None or age >= LEAST_JOB_AGE:
        return []
    return [
        f"Slurm forgets jobs {age} seconds after their end (MinJobAge), before Snakemake may have "
        f"asked for them with squeue (ask for {LEAST_JOB_AGE}, or take slurm-status-command: sacct "
        "where there is accounting)"
    ]


def min_job_age() -> int | None:
    """Seconds for which Slurm remembers a job that has ended; None where it cannot be asked."""
    try:
        answer = subprocess.run(
            ["scontrol", "show", "config"], capture_output=True, text=True, timeout=_TIMEOUT
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _JOB_AGE.search(answer.stdout)
    return int(found[1]) if found else None
