"""Output of the display: a terminal, whose last lines are overwritten, or a plain stream."""

from collections.abc import Iterable
from typing import TextIO

from typing_extensions import override

from nlmt.live import LiveLines
from nlmt.progress.run import Job, Run
from nlmt.steps import clock

_RUNNING_NAME = 40


def left(run: Run) -> str:
    """Return the time left in words; empty at the end, or if it is not known."""
    seconds = run.time_left()
    if seconds is None or run.done == run.total:
        return ""
    return f"about {clock(seconds)} left" if seconds >= 1 else "nearly done"


def summary(run: Run) -> str:
    """Return the state of the run in one line."""
    parts = [f"{run.done} of {run.total} jobs", clock(run.now()), left(run)]
    return ", ".join(part for part in parts if part)


def display(run: Run) -> list[str]:
    """Return the summary, a line for each stage, and a line for each running job."""
    lines = [summary(run)]
    running = {job.stage for job in run.running.values()}
    for stage, (done, total) in run.stages().items():
        mark = "x" if done == total else ">" if stage in running else " "
        lines.append(f" [{mark}] {stage:18} {done:4} of {total}")
    return lines + [_job(run, job) for job in run.running.values() if job.log]


def _job(run: Run, job: Job) -> str:
    elapsed = clock(run.now() - job.began)
    expected = "" if job.expected is None else f" of {clock(job.expected)}"
    name = f"{job.rule} {job.name}"
    return f"  {elapsed + expected:>14}  {name:{_RUNNING_NAME}}  {job.says()}".rstrip()


class Plain:
    """A line where a job begins and where it ends."""

    def __init__(self, stream: TextIO, run: Run) -> None:
        self._stream, self._run = stream, run

    def began(self, job: Job) -> None:
        """Say that a job begins."""
        expected = "" if job.expected is None else f" (took {clock(job.expected)})"
        self.say(f"[{clock(self._run.now())}] {job.rule} {job.name}{expected}")

    def ended(self, job: Job) -> None:
        """Say that a job has ended, and how far the run is."""
        run = self._run
        facts = [f"{run.done} of {run.total} jobs", left(run)]
        took = clock(run.now() - job.began)
        self.say(
            f"[{clock(run.now())}] {job.rule} {job.name}: done in {took};"
            f" {', '.join(fact for fact in facts if fact)}"
        )

    def say(self, text: str) -> None:
        """Write text that stays."""
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def close(self, failures: Iterable[str] = ()) -> None:
        """Print the result of the run, then the failed jobs."""
        if self._run.total:
            self.say(summary(self._run))
        for line in failures:
            self.say(line)


class Live(LiveLines):
    """Lines at the end of a terminal that are written over twice a second."""

    def __init__(self, stream: TextIO, run: Run) -> None:
        def lines() -> list[str]:
            with run.lock:
                return display(run) if run.total else []

        super().__init__(stream, lines)

    def began(self, job: Job) -> None:
        """Show that a job runs."""
        self.draw()

    def ended(self, job: Job) -> None:
        """Show that it has ended."""
        self.draw()

    @override
    def close(self, failures: Iterable[str] = ()) -> None:
        """Leave the last state on the terminal, and below it the failed jobs."""
        super().close()
        self.draw()
        self._stream.write("".join(f"{line}\n" for line in failures))
        self._stream.flush()
