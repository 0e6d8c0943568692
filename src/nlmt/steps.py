"""Progress of the library's work: the open steps, and how far each of them is.

    with step("translate", len(lines)) as progress:
        for line in lines:
            ...
            progress.done += 1

Counting costs next to nothing. `nlmt.live` shows the steps.
"""

import time
from collections.abc import Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")

_BAR = 20  # characters
_open: list["Step"] = []  # outermost first


@dataclass(eq=False)
class Step:
    """A part of the work in progress.

    Attributes:
        name: verb and object.
        total: amount of work; 0: unknown.
        unit: of counting.
        done: amount done.
        says: further information: a rate, a perplexity.
        began: time on the monotonic clock, in seconds.
        hidden: whether to show nothing while it is open.
        start: amount done before it began.
    """

    name: str
    total: int = 0
    unit: str = "sentences"
    done: int = 0
    says: str = ""
    began: float = field(default_factory=time.monotonic)
    hidden: bool = False
    start: int = field(init=False)

    def __post_init__(self) -> None:
        self.start = self.done

    def text(self, now: float) -> str:
        """The progress in words: `30 of 120 sentences, about 0:09 left`."""
        parts = []
        if self.total:
            parts.append(f"{self.done:,} of {self.total:,} {self.unit}")
        elif self.done:
            parts.append(f"{self.done:,} {self.unit}")
        parts.append(self.says)
        if self.start < self.done < self.total:
            rate = (self.done - self.start) / max(now - self.began, 1e-9)
            parts.append(f"about {clock((self.total - self.done) / rate)} left")
        return ", ".join(filter(None, parts))

    def line(self, now: float) -> str:
        """The step in one line: time taken, name, bar, and text."""
        bar = ""
        if self.total:
            full = min(_BAR, _BAR * self.done // self.total)
            bar = f"[{'#' * full}{'.' * (_BAR - full)}]"
        parts = (f"{clock(now - self.began):>7}", self.name, bar, self.text(now))
        return "  ".join(filter(None, parts))


@contextmanager
def step(name: str, total: int = 0, unit: str = "sentences", done: int = 0) -> Iterator[Step]:
    """Open a step, whose `done` and `says` the caller updates.

    Args:
        name: what is done, as a verb and its object.
        total: how much there is to do; 0: not known.
        unit: what is counted.
        done: how much of it is done already.
    """
    one = Step(name, total, unit, done)
    _open.append(one)
    try:
        yield one
    finally:
        _open.remove(one)


def counted(
    items: Iterable[T], name: str, total: int | None = None, unit: str = "sentences"
) -> Iterator[T]:
    """Iterate over items in a step that counts them.

    Args:
        items: iterated once.
        name: what is done, as a verb and its object.
        total: how much there is to do; 0: not known; None: as many as there are items, if they say.
        unit: what is counted.
    """
    if total is None:
        total = len(items) if isinstance(items, Sized) else 0
    with step(name, total, unit) as progress:
        for item in items:
            yield item
            progress.done += 1


@contextmanager
def hidden_steps() -> Iterator[None]:
    """Hide all steps: the user types at the terminal, or another process shows its own."""
    with step("wait") as one:
        one.hidden = True
        yield


def open_steps() -> Sequence[Step]:
    """The open steps, outermost first."""
    return tuple(_open)


def clock(seconds: float) -> str:
    """A duration as 0:07, 12:30 or 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
