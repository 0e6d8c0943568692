"""Times of a run's jobs, its critical path, and its simulated time on other machines."""

import csv
import heapq
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines
from nlmt.provenance.store import FOLDER, JobRecord, Store

_BENCHMARKS = "benchmarks"
# Rules that ask for all cores, so that nothing runs beside what they time. Records of their jobs
# have the threads of the machine that they ran on.
WHOLE_MACHINE = frozenset(
    (
        "measure_complexity",
        "measure_decoding",
        "measure_rescoring",
        "measure_search",
        "measure_training",
    )
)


@dataclass(frozen=True)
class TimedJob:
    """A job of a run.

    Attributes:
        name: as in its record, `<rule>/<wildcards>`.
        start: UTC.
        seconds: from start to end, including Python's start if Snakemake measured it.
        cpu_seconds: processor time, including programs that it ran.
        threads: number that it had.
        after: names of the jobs whose outputs it read.
    """

    name: str
    start: datetime
    seconds: float
    cpu_seconds: float
    threads: int
    after: frozenset[str]

    @property
    def rule(self) -> str:
        """The name of its rule."""
        return self.name.partition("/")[0]

    @property
    def end(self) -> datetime:
        """Its end, UTC."""
        return self.start + timedelta(seconds=self.seconds)

    def taken(self, cores: int) -> int:
        """Cores that it occupies on a machine that has so many."""
        return cores if self.rule in WHOLE_MACHINE else min(self.threads, cores)


def timed_jobs(results: Path) -> dict[str, TimedJob]:
    """The recorded jobs of a folder of results, by name, in the order of their beginnings.

    Args:
        results: folder with the records, and with Snakemake's benchmark files.

    Raises:
        InputError: no records, or as `times_of`.
    """
    records = Store(results / FOLDER.name).jobs()
    if not records:
        hint = "a folder that the workflow has filled, such as results/"
        raise InputError("no jobs are on record", path=results, hint=hint)
    return times_of(records, results)


def times_of(records: Mapping[str, JobRecord], results: Path) -> dict[str, TimedJob]:
    """Recorded jobs of a folder of results, by name, in the order of their beginnings.

    They wait for each other only, whatever else they read.

    Raises:
        InputError: jobs wait for each other in a circle; a damaged benchmark file.
    """
    made_by = {path: name for name, record in records.items() for path in record.outputs}
    jobs = []
    for name, record in records.items():
        read = {made_by[path] for path in record.inputs if path in made_by}
        jobs.append(_timed(results, name, record, frozenset(read - {name})))
    try:
        TopologicalSorter({job.name: job.after for job in jobs}).prepare()
    except CycleError as error:
        what = f"jobs read each other's outputs in a circle: {', '.join(error.args[1])}"
        hint = "remove the records of those that the workflow no longer has"
        raise InputError(what, path=results / FOLDER.name, hint=hint) from error
    return {job.name: job for job in sorted(jobs, key=lambda job: (job.start, job.name))}


def write_jobs(path: Path, jobs: Mapping[str, TimedJob]) -> None:
    """Write jobs as TSV; `after` has the rows of those that a job waits for, the first one 0."""
    rows = {name: row for row, name in enumerate(jobs)}
    lines = ["\t".join(field.name for field in fields(TimedJob))]
    for job in jobs.values():
        after = " ".join(map(str, sorted(rows[name] for name in job.after)))
        times = f"{job.seconds:.2f}\t{job.cpu_seconds:.2f}"
        start = job.start.isoformat(timespec="seconds")
        lines.append(f"{job.name}\t{start}\t{times}\t{job.threads}\t{after}")
    write_lines(path, lines)


def read_jobs(path: Path) -> dict[str, TimedJob]:
    """Jobs by name, from a file of `write_jobs`.

    Raises:
        InputError: the file is damaged.
    """
    rows = list(csv.DictReader(read_lines(path), delimiter="\t"))
    try:
        jobs = [
            TimedJob(
                row["name"],
                datetime.fromisoformat(row["start"]),
                float(row["seconds"]),
                float(row["cpu_seconds"]),
                int(row["threads"]),
                frozenset(rows[int(number)]["name"] for number in row["after"].split()),
            )
            for row in rows
        ]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        hint = "publish the run again: nlmt papers publish"
        raise InputError("not a table of jobs", path=path, hint=hint) from error
    return {job.name: job for job in jobs}


def critical_path(jobs: Mapping[str, TimedJob]) -> list[TimedJob]:
    """The chain of dependent jobs that together take longest."""
    remaining = _remaining(jobs)
    followers = _followers(jobs)
    path: list[TimedJob] = []
    choice = [name for name, job in jobs.items() if not job.after]
    while choice:
        path.append(jobs[max(choice, key=lambda name: remaining[name])])
        choice = followers[path[-1].name]
    return path


def simulate(jobs: Mapping[str, TimedJob], cores: int) -> float:
    """Seconds that all jobs would take on a number of cores, given their measured times.

    Of the jobs that can run, the one with the longest path to the end comes first; a job occupies
    as many cores as it had threads, or all cores, as jobs that time something always do.
    """
    remaining, followers = _remaining(jobs), _followers(jobs)
    missing = {name: len(job.after) for name, job in jobs.items()}
    # By the cores that they take: all of a queue fit, or none, so that none is passed over.
    ready: dict[int, list[tuple[float, str]]] = {}
    running: list[tuple[float, str]] = []  # by end
    now, free = 0.0, cores

    def wait(name: str) -> None:
        heapq.heappush(ready.setdefault(jobs[name].taken(cores), []), (-remaining[name], name))

    for name, count in missing.items():
        if count == 0:
            wait(name)
    while True:
        while fitting := [queue for taken, queue in ready.items() if queue and taken <= free]:
            _, name = heapq.heappop(min(fitting))
            free -= jobs[name].taken(cores)
            heapq.heappush(running, (now + jobs[name].seconds, name))
        if not running:
            return now
        now, ended = heapq.heappop(running)
        free += jobs[ended].taken(cores)
        for name in followers[ended]:
            missing[name] -= 1
            if missing[name] == 0:
                wait(name)


def _timed(results: Path, name: str, record: JobRecord, after: frozenset[str]) -> TimedJob:
    """A job; its record begins after Python and the library are loaded, Snakemake's time before."""
    begun = datetime.fromisoformat(record.started)
    benchmark = results / _BENCHMARKS / f"{name}.tsv"
    measured = benchmark_seconds(benchmark) if benchmark.exists() else 0.0
    seconds = max(record.seconds, measured)
    start = begun - timedelta(seconds=seconds - record.seconds)
    return TimedJob(name, start, seconds, record.cpu_seconds, record.threads, after)


def benchmark_seconds(path: Path) -> float:
    """Seconds of a job, from its benchmark file of Snakemake.

    Raises:
        InputError: the file is damaged.
    """
    try:
        return float(next(csv.DictReader(read_lines(path), delimiter="\t"))["s"])
    except (StopIteration, KeyError, ValueError) as error:
        hint = "remove the file"
        raise InputError("not a benchmark file of Snakemake", path=path, hint=hint) from error


def _followers(jobs: Mapping[str, TimedJob]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in jobs}
    for job in jobs.values():
        for name in job.after:
            found[name].append(job.name)
    return found


def _remaining(jobs: Mapping[str, TimedJob]) -> dict[str, float]:
    """Seconds from the start of each job to the end, on the longest path."""
    followers = _followers(jobs)

    @cache
    def seconds(name: str) -> float:
        return jobs[name].seconds + max(map(seconds, followers[name]), default=0.0)

    return {name: seconds(name) for name in jobs}
