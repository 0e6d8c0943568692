"""Parallel text files: line i of each belongs to the same sentence."""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.files import read_lines


def read_parallel(*paths: Path | str) -> Iterator[tuple[str, ...]]:
    """Yield corresponding lines of all files.

    Raises:
        InputError: a file ends before another.
    """
    for number, lines in enumerate(zip_longest(*map(read_lines, paths))):
        if None in lines:
            short, long = lines.index(None), [line is not None for line in lines].index(True)
            raise InputError(
                f"ends after {number} lines, but {paths[long]} continues",
                path=paths[short],
                hint="line i of each file must belong to the same sentence pair",
            )
        yield lines
