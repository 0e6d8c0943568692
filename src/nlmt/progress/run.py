"""The state of a run of the workflow: jobs done, running and left."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from nlmt.progress.past import PastRuns
from nlmt.progress.stages import OTHER, STAGES, stage_of
from nlmt.provenance import Store
from nlmt.runlog import TIME

_TAIL = 4096


@dataclass(frozen=True)
class Job:
    """One job that has begun.

    Attributes:
        log: path of its log; empty where it has none.
        began: on the clock of the run, in seconds.
        expected: seconds that it will take, as past runs say; None where they do not.
    """

    rule: str
    log: str
    threads: int
    began: float
    expected: float | None

    @property
    def name(self) -> str:
        """A name that distinguishes it from other jobs of its rule."""
        _, logs, rest = self.log.rpartition("/logs/")
        # Below the folder of the rule, where the runs of a model have a folder.
        parts = Path(rest).parts[1:] if logs else Path(rest).parts[-1:]
        return ".".join(parts).removesuffix(".log")

    @property
    def stage(self) -> str:
        """Its stage of the pipeline."""
        return stage_of(self.rule)

    def says(self) -> str:
        """The last line of its log, without the time."""
        try:
            with Path(self.log).open("rb") as stream:
                stream.seek(0, 2)
                stream.seek(max(0, stream.tell() - _TAIL))
                lines = stream.read().decode(errors="replace").split("\n")
        except OSError:
            return ""
        last = next((line for line in reversed(lines) if line.strip()), "")
        return TIME.sub("", last.strip())


class Run:
    """Follows the jobs of one run.

    Attributes:
        running: jobs that have begun and not ended, by their numbers.
        cores: that the run may use.
        lock: held while the state changes; a thread that reads it holds it too.
    """

    def __init__(self, past: PastRuns, clock: Callable[[], float] = time.monotonic) -> None:
        self.running: dict[int, Job] = {}
        self.cores = 1
        self.lock = threading.RLock()
        self._past = past
        self._clock = clock
        self._began = clock()
        self._planned: Counter[str] = Counter()
        self._started: Counter[str] = Counter()
        self._done: Counter[str] = Counter()

    def plan(self, jobs: Mapping[str, int]) -> None:
        """Set the number of jobs of each rule."""
        with self.lock:
            self._planned = Counter({rule: count for rule, count in jobs.items() if _counts(rule)})

    def start(self, number: int, rule: str, log: str, threads: int) -> Job:
        """Note that a job begins."""
        job = Job(rule, log, threads, self.now(), self._past.seconds(rule, _record(log)))
        with self.lock:
            self.running[number] = job
            if _counts(rule):
                self._started[rule] += 1
        return job

    def finish(self, number: int) -> Job | None:
        """Note that a job has succeeded, and return it; None if it is not known."""
        with self.lock:
            job = self.running.pop(number, None)
            if job is not None and _counts(job.rule):
                self._done[job.rule] += 1
                self._past.add(job.rule, _record(job.log), self.now() - job.began, job.threads)
        return job

    def fail(self, number: int) -> None:
        """Note that a job has failed; Snakemake may start it again."""
        with self.lock:
            job = self.running.pop(number, None)
            if job is not None and _counts(job.rule):
                self._started[job.rule] -= 1

    def now(self) -> float:
        """Seconds since the run began."""
        return self._clock() - self._began

    @property
    def done(self) -> int:
        """Number of jobs that have succeeded."""
        return self._done.total()

    @property
    def total(self) -> int:
        """Number of all jobs of the run."""
        return self._planned.total()

    def stages(self) -> dict[str, tuple[int, int]]:
        """Jobs done and all jobs of each stage that has any, in the order of the pipeline."""
        found = {stage: [0, 0] for stage in (*STAGES, OTHER)}
        for place, counts in enumerate((self._done, self._planned)):
            for rule, count in counts.items():
                found[stage_of(rule)][place] += count
        return {stage: (done, total) for stage, (done, total) in found.items() if total}

    def time_left(self) -> float | None:
        """Seconds until the run ends, by the past times of its jobs.

        The work that is left is spread over all cores; None while jobs of a rule are left of which
        none has ever ended.
        """
        work, longest = 0.0, 0.0
        for job in self.running.values():
            if not _counts(job.rule):
                continue
            if job.expected is None:
                return None
            rest = max(0.0, job.expected - (self.now() - job.began))
            work += rest * min(job.threads, self.cores)
            longest = max(longest, rest)
        for rule, count in (self._planned - self._started).items():
            seconds = self._past.rules.get(rule)
            if seconds is None:
                return None
            threads = fmean(self._past.threads[rule])
            work += count * fmean(seconds) * min(threads, self.cores)
        return max(work / self.cores, longest)


def _counts(rule: str) -> bool:
    """Whether a rule does something: names of targets, and the sum of all, do not."""
    return stage_of(rule) != OTHER


def _record(log: str) -> str:
    """The name of a job's record, from its log; empty where there is none."""
    store = Store.of_log(Path(log))
    return store.job_name(Path(log)) if store is not None else ""
