"""Durations of past jobs, from their records."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from nlmt.provenance import JobRecord


@dataclass
class Mean:
    """The mean of the numbers that were added."""

    total: float = 0.0
    count: int = 0

    def add(self, value: float) -> None:
        """Add a number."""
        self.total += value
        self.count += 1

    @property
    def value(self) -> float:
        """The mean."""
        return self.total / self.count


@dataclass
class PastRuns:
    """Known seconds of jobs by record, and mean seconds and threads of the jobs of each rule."""

    jobs: dict[str, float] = field(default_factory=dict)
    rules: dict[str, Mean] = field(default_factory=dict)
    threads: dict[str, Mean] = field(default_factory=dict)

    def learn(self, records: Iterable[tuple[str, JobRecord]]) -> None:
        """Add the records of jobs, by their names."""
        for name, record in records:
            self.add(record.rule, name, record.seconds, record.threads)

    def add(self, rule: str, job: str, seconds: float, threads: int) -> None:
        """Add a job."""
        self.jobs[job] = seconds
        self.rules.setdefault(rule, Mean()).add(seconds)
        self.threads.setdefault(rule, Mean()).add(threads)

    def seconds(self, rule: str, job: str) -> float | None:
        """Return the expected seconds of a job; None if no job of its rule is known."""
        if job in self.jobs:
            return self.jobs[job]
        mean = self.rules.get(rule)
        return None if mean is None else mean.value
