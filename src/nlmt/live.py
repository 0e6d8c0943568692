"""Display of open steps (`nlmt.steps`): at the end of a terminal, or periodically in a log."""

import logging
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TextIO, cast

from nlmt.runlog import logs_only
from nlmt.steps import Step, open_steps, step

REDRAW_SECONDS = 0.5
LOG_SECONDS = 10.0
# Shorter steps are not shown.
SHORT_SECONDS = 1.0
_UP, _CLEAR = "\x1b[{}A", "\x1b[J"


class LiveLines:
    """Lines at the end of a terminal that are rewritten twice a second."""

    def __init__(self, stream: TextIO, lines: Callable[[], list[str]]) -> None:
        """Start showing what `lines` returns, which is called in a separate thread."""
        self._stream, self._lines = stream, lines
        self._shown = 0
        self._line_open = False  # whether the last text of others ended within a line
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._redraw, daemon=True)
        self._thread.start()

    def say(self, text: str) -> None:
        """Write permanent text above the changing lines."""
        self.write(self._stream, f"{text}\n")
        self.draw()

    def write(self, stream: TextIO, text: str) -> int:
        """Write permanent text to a stream of the same terminal."""
        with self._lock:
            self._erase()
            written = stream.write(text)
            stream.flush()
            if text:
                self._line_open = not text.endswith("\n")
        return written

    def draw(self) -> None:
        """Rewrite the lines."""
        width = shutil.get_terminal_size().columns
        lines = [line[: width - 1] for line in self._lines()]
        with self._lock:
            self._erase()
            if self._line_open:
                return
            self._stream.write("".join(f"{line}\n" for line in lines))
            self._stream.flush()
            self._shown = len(lines)

    def close(self) -> None:
        """Remove the lines."""
        self._stop.set()
        self._thread.join()
        with self._lock:
            self._erase()
            self._stream.flush()

    def _redraw(self) -> None:
        while not self._stop.wait(REDRAW_SECONDS):
            self.draw()

    def _erase(self) -> None:
        if self._shown:
            self._stream.write(_UP.format(self._shown) + _CLEAR)
            self._shown = 0


class _Above:
    """A stream to the terminal of changing lines, whose text is written above them."""

    def __init__(self, stream: TextIO, lines: LiveLines) -> None:
        self._stream, self._lines = stream, lines

    def write(self, text: str) -> int:
        return self._lines.write(self._stream, text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


@contextmanager
def shown_steps(name: str) -> Iterator[None]:
    """Show the open steps if standard error is a terminal, below all other output.

    Args:
        name: to show while no step is open.
    """
    if not can_show(sys.stderr):
        yield
        return
    streams = sys.stdout, sys.stderr
    with step(name) as whole:
        live = LiveLines(sys.stderr, lambda: step_lines(whole))
        try:
            sys.stdout, sys.stderr = (
                cast(TextIO, _Above(stream, live)) if stream.isatty() else stream
                for stream in streams
            )
            yield
        finally:
            sys.stdout, sys.stderr = streams
            live.close()


def can_show(stream: TextIO) -> bool:
    """Whether it is a terminal that can rewrite lines and that no other display uses."""
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not logs_only()


def step_lines(whole: Step) -> list[str]:
    """A line for each step that has been open for a while, or one for the whole."""
    now, steps = time.monotonic(), open_steps()
    if any(one.hidden for one in steps):
        return []
    shown = [one for one in steps if now - one.began >= SHORT_SECONDS]
    parts = [one for one in shown if one is not whole]
    return [one.line(now) for one in parts or shown]


@contextmanager
def logged_steps() -> Iterator[None]:
    """Log the progress of the innermost step every few seconds, if it has changed."""
    stop = threading.Event()

    def log() -> None:
        last = ""
        while not stop.wait(LOG_SECONDS):
            for one in open_steps()[-1:]:
                text = one.text(time.monotonic())
                if text and text != last:
                    logging.info("%s: %s", one.name, text)
                last = text

    thread = threading.Thread(target=log, daemon=True)
    thread.start()
    with ExitStack() as stack:
        stack.callback(thread.join)
        stack.callback(stop.set)
        yield
