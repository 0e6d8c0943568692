"""Output of the display: a terminal, whose last lines are overwritten, or a plain stream."""

from collections.abc import Callable, Iterable
from typing import TextIO

from typing_extensions import override

from nlmt.live import LiveLines, terminal_width
from nlmt.progress.lines import display, left, summary
from nlmt.progress.run import Job, Run
from nlmt.steps import clock


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

    def __init__(self, stream: TextIO, run: Run, width: Callable[[], int] = terminal_width) -> None:
        def lines() -> list[str]:
            with run.lock:
                return display(run) if run.total else []

        super().__init__(stream, lines, width)

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
