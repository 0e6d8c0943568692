"""Durations of past jobs, from their records."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import fmean

from nlmt.provenance import JobRecord


@dataclass
class PastRuns:
    """Seconds of known jobs by record, and seconds and threads of all jobs of each rule."""

    jobs: dict[str, float] = field(default_factory=dict)
    rules: dict[str, list[float]] = field(default_factory=dict)
    threads: dict[str, list[int]] = field(default_factory=dict)

    def learn(self, records: Iterable[tuple[str, JobRecord]]) -> None:
        """Add the records of jobs, by their names."""
        for name, record in records:
            self.add(record.rule, name, record.seconds, record.threads)

    def add(self, rule: str, job: str, seconds: float, threads: int) -> None:
        """Add a job."""
        self.jobs[job] = seconds
        self.rules.setdefault(rule, []).append(seconds)
        self.threads.setdefault(rule, []).append(threads)

    def seconds(self, rule: str, job: str) -> float | None:
        """Return the expected seconds of a job; None if no job of its rule is known."""
        if job in self.jobs:
            return self.jobs[job]
        known = self.rules.get(rule)
        return None if known is None else fmean(known)
