"""A part of a text, by its place among equal parts: `2-of-3`, as Snakemake names them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from nlmt.io.files import read_lines


@dataclass(frozen=True)
class Shard:
    """One of `count` parts of a text, consecutive lines each, as long as each other within one.

    Attributes:
        number: from 1.
        count: how many there are; 1 is the whole.
    """

    number: int
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.count:
            raise ValueError(f"there is no shard {self.number} of {self.count}")

    @classmethod
    def parse(cls, name: str) -> "Shard":
        """The shard of a name such as `2-of-3`; an empty name is the whole."""
        if not name:
            return cls(1, 1)
        parts = re.fullmatch(r"(\d+)-of-(\d+)", name)
        if parts is None:
            raise ValueError(f"{name!r} is no shard (2-of-3)")
        return cls(int(parts[1]), int(parts[2]))

    def read(self, path: Path | str) -> tuple[int, Iterator[str]]:
        """Number of the shard's first line, from 0, and its lines.

        The text is read twice rather than held, unless the shard is the whole.

        Raises:
            InputError: as `read_lines`.
        """
        if self.count == 1:
            return 0, read_lines(path)
        lines = sum(1 for _ in read_lines(path))
        begin, end = ((self.number - 1 + i) * lines // self.count for i in (0, 1))
        return begin, islice(read_lines(path), begin, end)
