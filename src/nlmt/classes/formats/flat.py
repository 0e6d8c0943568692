"""Lines of a word and the number of its class, as in ClusterCat and mkcls."""

import logging
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np

from nlmt.classes.clustering import Clustering
from nlmt.errors import InputError
from nlmt.io.files import read_lines

log = logging.getLogger(__name__)

DIGITS = (9, 18)  # maximal numbers of digits of a class and of a count


def read_flat(path: Path | str, widths: Collection[int], form: str) -> Clustering:
    """Read words with classes and, if there is a third field, counts, in any order.

    Classes are numbered in the order of the file's numbers, and have bit strings of equal length,
    as such a file has no tree. A word in several lines with the same class counts once.

    Args:
        path: of the file.
        widths: possible numbers of fields in a line.
        form: description of a line, for messages.

    Raises:
        InputError: a malformed line, a word with two classes, or an empty file.
    """
    line_of: dict[str, int] = {}
    found: dict[str, tuple[int, int]] = {}  # class and count of each word
    for number, (word, *values) in _fields(path, widths, form):
        for value, digits in zip(values, DIGITS, strict=False):
            if not (value.isascii() and value.isdigit() and len(value) <= digits):
                raise InputError(f"{value!r} is not a number", path=path, line=number, hint=form)
        entry = int(values[0]), int(values[1]) if len(values) > 1 else 0
        before = found.setdefault(word, entry)
        first = line_of.setdefault(word, number)
        if before[0] != entry[0]:
            what = f"the word {word!r} is in class {before[0]} in line {first}, here in {entry[0]}"
            raise InputError(what, path=path, line=number, hint="keep one of the two")
        if first != number:
            log.warning("%s:%d: the word %r is already in line %d", path, number, word, first)
    if not found:
        raise InputError("no classes: the file is empty", path=path, hint="cluster the words again")
    numbers, ids = np.unique([of for of, _ in found.values()], return_inverse=True)
    width = max(1, len(f"{len(numbers) - 1:b}")) if len(numbers) > 1 else 0
    words, counts = list(found), np.array([count for _, count in found.values()], np.int64)
    order = sorted(range(len(words)), key=lambda i: (ids[i], -counts[i], words[i]))
    return Clustering(
        words=tuple(words[i] for i in order),
        counts=counts[order],
        class_ids=ids[order].astype(np.int32),
        bits=tuple(f"{i:0{width}b}" if width else "" for i in range(len(numbers))),
    )


def _fields(
    path: Path | str, widths: Collection[int], form: str
) -> Iterator[tuple[int, list[str]]]:
    """The fields of each line, with its number."""
    for number, line in enumerate(read_lines(path), start=1):
        fields = line.split("\t")
        if len(fields) not in widths:
            what = f"{len(fields)} fields between tabs"
            raise InputError(what, path=path, line=number, hint=form)
        if not fields[0]:
            raise InputError("the word is empty", path=path, line=number, hint=form)
        yield number, fields
