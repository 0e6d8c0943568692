"""What the library is at: the steps that are open, and how far each of them is.

    with step("translate", len(lines)) as progress:
        for line in lines:
            ...
            progress.done += 1

Counting costs next to nothing. Whether steps are shown, and where, is for `nlmt.live` to say.
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
    """A part of the work that is being done.

    Attributes:
        name: what is done, as a verb and its object.
        total: how much there is to do; 0: not known.
        unit: what is counted.
        done: how much of it is done.
        says: what else there is to know: a rate, a perplexity.
        began: on the monotonic clock, in seconds.
        hidden: nothing is shown while it is open.
        start: how much was done before it began.
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
        """How far it is, in words: `30 of 120 sentences, about 0:09 left`."""
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
        """All of it on one line: the time that it has taken, its name, a bar, and the text."""
        bar = ""
        if self.total:
            full = min(_BAR, _BAR * self.done // self.total)
            bar = f"[{'#' * full}{'.' * (_BAR - full)}]"
        parts = (f"{clock(now - self.began):>7}", self.name, bar, self.text(now))
        return "  ".join(filter(None, parts))


@contextmanager
def step(name: str, total: int = 0, unit: str = "sentences", done: int = 0) -> Iterator[Step]:
    """Be at a step; the caller sets `done` and `says` while it goes on.

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
    """The items, as a step that counts them.

    Args:
        items: gone through once.
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
    """Show no step: somebody types at the terminal, or another process shows its own."""
    with step("wait") as one:
        one.hidden = True
        yield


def open_steps() -> Sequence[Step]:
    """The steps that are open, outermost first."""
    return tuple(_open)


def clock(seconds: float) -> str:
    """A duration as 0:07, 12:30 or 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
