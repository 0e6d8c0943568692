"""Where lines go: a terminal, whose last lines are written over, or a plain stream."""

import shutil
import threading
from collections.abc import Callable
from typing import TextIO

from nlmt.progress.lines import clock, display, left, summary
from nlmt.progress.run import Job, Run

REDRAW_SECONDS = 0.5
_UP, _CLEAR = "\x1b[{}A", "\x1b[J"


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

    def close(self) -> None:
        """Say how the run ended."""
        if self._run.total:
            self.say(summary(self._run))


class Live:
    """Lines at the end of a terminal that are written over twice a second."""

    def __init__(
        self,
        stream: TextIO,
        run: Run,
        width: Callable[[], int] = lambda: shutil.get_terminal_size().columns,
    ) -> None:
        self._stream, self._run, self._width = stream, run, width
        self._shown = 0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._redraw, daemon=True)
        self._thread.start()

    def began(self, job: Job) -> None:
        """Show that a job runs."""
        self.draw()

    def ended(self, job: Job) -> None:
        """Show that it has ended."""
        self.draw()

    def say(self, text: str) -> None:
        """Write text that stays, above the lines that change."""
        with self._lock:
            self._erase()
            self._stream.write(f"{text}\n")
            self._stream.flush()
        self.draw()

    def draw(self) -> None:
        """Write the lines over those that are there."""
        with self._run.lock:
            lines = display(self._run, self._width()) if self._run.total else []
        with self._lock:
            self._erase()
            self._stream.write("".join(f"{line}\n" for line in lines))
            self._stream.flush()
            self._shown = len(lines)

    def close(self) -> None:
        """Leave the last state on the terminal."""
        self._stop.set()
        self._thread.join()
        self.draw()

    def _redraw(self) -> None:
        while not self._stop.wait(REDRAW_SECONDS):
            self.draw()

    def _erase(self) -> None:
        if self._shown:
            self._stream.write(_UP.format(self._shown) + _CLEAR)
            self._shown = 0
