"""Records of jobs."""

from dataclasses import replace
from typing import Any

from nlmt.provenance import JobRecord

_JOB = JobRecord(
    rule="make", wildcards={}, params={}, inputs={}, outputs={}, threads=1,
    started="2026-01-01T00:00:00+00:00", seconds=2.0, cpu_seconds=3.0, memory_mb=1,
    processor="a processor", system="Linux", versions={"numpy": "2.0"}, commit="abc", modules={},
)  # fmt: skip


def job_record(**changes: Any) -> JobRecord:
    """A record of a job in which these fields matter."""
    return replace(_JOB, **changes)
