"""Progress of a download: bytes, rate, time left."""

import logging
import time
from collections import deque

from nlmt.steps import clock

_EVERY = 5.0  # seconds between two messages
_WINDOW = 20.0  # seconds over which the rate is taken


class Progress:
    """Logs how far a download is, every few seconds."""

    def __init__(self, name: str, total: int | None) -> None:
        """Begin.

        `total` is the size of the file in bytes, where it is known.
        """
        self._name, self._total = name, total
        self._said = time.monotonic()
        self._points: deque[tuple[float, int]] = deque()

    def at(self, done: int) -> None:
        """Say how far the download is, where the last message is some time ago.

        Args:
            done: bytes that are on disk.
        """
        now = time.monotonic()
        self._points.append((now, done))
        while len(self._points) > 2 and now - self._points[0][0] > _WINDOW:
            self._points.popleft()
        if now - self._said >= _EVERY:
            self._said = now
            logging.info("%s: %s", self._name, describe(done, self._total, self.rate()))

    def rate(self) -> float:
        """Bytes a second, over the last seconds."""
        (begin, before), (end, after) = self._points[0], self._points[-1]
        return (after - before) / (end - begin) if end > begin else 0.0


def describe(done: int, total: int | None, rate: float) -> str:
    """One line: bytes, share, rate, time left.

    `done` and `total` are bytes, `rate` is bytes a second.
    """
    if total is None:
        return f"{in_units(done)}, {in_units(rate)}/s"
    left = f", {clock((total - done) / rate)} left" if rate > 0 else ""
    share = 100 * done // total if total else 100
    return f"{in_units(done)} of {in_units(total)} ({share} %), {in_units(rate)}/s{left}"


def in_units(size: float) -> str:
    """A number of bytes as people write it."""
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.2f} GB"
