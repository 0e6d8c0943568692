"""Shards: consecutive parts of a text of equal size, named `2-of-3` as in Snakemake."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

from nlmt.io.files import read_lines

Line = TypeVar("Line")  # of one text, or the lines of several


@dataclass(frozen=True)
class Shard:
    """One of `count` parts of a text, with consecutive lines; sizes differ by at most one.

    Attributes:
        number: from 1.
        count: number of all parts; 1: the whole text.
    """

    number: int
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.count:
            raise ValueError(f"there is no shard {self.number} of {self.count}")

    @classmethod
    def parse(cls, name: str) -> "Shard":
        """The shard with a name such as `2-of-3`; an empty name means the whole text."""
        if not name:
            return cls(1, 1)
        parts = re.fullmatch(r"(\d+)-of-(\d+)", name)
        if parts is None:
            raise ValueError(f"{name!r} is not a shard (2-of-3)")
        return cls(int(parts[1]), int(parts[2]))

    def read(self, path: Path | str) -> tuple[int, Iterator[str]]:
        """Number of the shard's first line, from 0, and its lines.

        Raises:
            InputError: as in `read_lines`.
        """
        return self.of(partial(read_lines, path))

    def of(self, lines: Callable[[], Iterator[Line]]) -> tuple[int, Iterator[Line]]:
        """Number of the shard's first line, from 0, and its lines; each call restarts the text.

        The text is read twice, to bound memory, unless the shard is the whole text.
        """
        if self.count == 1:
            return 0, lines()
        size = sum(1 for _ in lines())
        begin, end = ((self.number - 1 + i) * size // self.count for i in (0, 1))
        return begin, islice(lines(), begin, end)
