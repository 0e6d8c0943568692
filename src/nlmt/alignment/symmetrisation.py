"""Symmetrisation of directed word alignments (Koehn, Och and Marcu 2003; Och and Ney 2003)."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from nlmt.alignment._alignment import Method
from nlmt.alignment._alignment import symmetrise as symmetrise_links
from nlmt.errors import InputError
from nlmt.io.files import read_parallel, write_lines
from nlmt.registry import Registry

# Each joins two lines of links, forward and reverse; raises ValueError for a malformed link.
METHODS: Registry[Callable[[str, str], str]] = Registry(
    "symmetrisation",
    {
        "intersection": partial(symmetrise_links, method=Method.INTERSECTION),
        "union": partial(symmetrise_links, method=Method.UNION),
        "grow-diag": partial(symmetrise_links, method=Method.GROW_DIAG),
        "grow-diag-final-and": partial(symmetrise_links, method=Method.GROW_DIAG_FINAL_AND),
    },
)


def symmetrise(forward: Path, reverse: Path, output: Path, method: str) -> None:
    """Join the alignments of both directions line by line, and write source-target links.

    `grow-diag` starts from the intersection and adds neighbouring links of the union that cover a
    new word; a pass grows from the links of earlier passes. `grow-diag-final-and` then adds the
    remaining links, first forward, then reverse, whose two words are both uncovered.

    Links are `source-target` in both directions, `0-0 1-2`; those of the output are sorted by
    source, then target position.

    Raises:
        InputError: files of different length, a malformed link, an unknown method.
    """
    write_lines(output, _symmetrised(forward, reverse, METHODS.get(method)))


def _symmetrised(forward: Path, reverse: Path, join: Callable[[str, str], str]) -> Iterator[str]:
    for number, (ahead, back) in enumerate(read_parallel(forward, reverse), start=1):
        try:
            yield join(ahead, back)
        except ValueError as error:
            raise InputError(
                f"'{error}' in this line, or the same line of {reverse}, is not a link",
                path=forward,
                line=number,
                hint="links are source-target from 0: 0-0 1-2, without scores as by fast_align -s",
            ) from error
