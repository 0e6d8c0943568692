"""Files of word classes: their formats by name, and conversion between them.

Those of Liang's wcluster have the tree of the classes. Those of ClusterCat (Dehdari, Tan and van
Genabith 2016) and of mkcls (Och 1999; GIZA++ and MGIZA read them) have lines of a word and the
number of its class.
"""

import logging
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from nlmt.classes.bigrams import BigramCounts
from nlmt.classes.brown import arrange_classes
from nlmt.classes.clustering import (
    Clustering,
    count_fields,
    read_paths,
    read_rows,
    split_row,
    write_paths,
)
from nlmt.errors import InputError
from nlmt.io.fields import is_whole_number
from nlmt.io.files import read_lines, write_lines
from nlmt.registry import Registry

log = logging.getLogger(__name__)

DIGITS = (9, 18)  # maximal numbers of digits of a class and of a count
FIRST_OF_MKCLS = 2  # it reserves 0 for the sentence boundary and 1 for unknown words


@dataclass(frozen=True)
class ClassFormat:
    """One format.

    Attributes:
        read: reads a file; an `InputError` names file and line.
        write: writes a clustering to a file.
        fits: whether the fields of a line have this format.
        summary: one line.
    """

    read: Callable[[Path], Clustering]
    write: Callable[[Clustering, Path], None]
    fits: Callable[[list[str]], bool]
    summary: str


def read_classes(path: Path | str, name: str | None = None) -> Clustering:
    """Read a file of classes.

    Without the name of a format, it is recognised by the first lines.

    Raises:
        InputError: an unknown format, or a file of another format.
    """
    path = Path(path)
    return (_recognise(path) if name is None else FORMATS.get(name)).read(path)


def _recognise(path: Path) -> ClassFormat:
    """The first format that the lines fit, up to one that fits no other.

    The first word of ClusterCat's may be `1`, which is a bit string, too.
    """
    forms, fields = dict(FORMATS.items()), list[str]()
    for number, line in enumerate(read_lines(path), start=1):
        fields = split_row(line)
        fitting = {name: form for name, form in forms.items() if form.fits(fields)}
        if number == 1 and not fitting:
            what = f"no classes: {count_fields(line)}"
            hint = f"a line is one of: {'; '.join(form.summary for form in forms.values())}"
            raise InputError(what, path=path, line=1, hint=hint)
        forms = fitting or forms
        if len(fitting) < 2:
            break
    else:
        if len(fields) == 3:  # with two fields, formats differ in name only
            what = f"each line may be of the formats {' and '.join(forms)}"
            raise InputError(what, path=path, hint="nlmt classes convert --from FORMAT says which")
    return next(iter(forms.values()))


def convert_classes(
    path: Path | str, name: str | None = None, bigrams: BigramCounts | None = None
) -> Clustering:
    """Read a file of classes; given bigrams of a text, arrange the classes in a tree.

    The tree is made as in every method: each merge of two classes loses the least mutual
    information. Words of the text that the file lacks form a class of their own while the tree is
    made, and are then left out; so are words that are not in the text.

    `path` and `name` are as in `read_classes`.

    Raises:
        InputError: as in `read_classes`; or no word of the text has a class.
    """
    clustering = read_classes(path, name)
    if bigrams is None:
        return clustering
    ids = clustering.lookup(bigrams.words)
    named = ids >= 0
    if not named.any():
        what = "no word of the text has a class"
        raise InputError(what, path=path, hint="give the text that was clustered")
    ids[~named] = len(clustering.bits)
    numbers = np.unique(ids, return_inverse=True)[1].astype(np.int32)
    arranged = arrange_classes(bigrams, numbers)
    words = {word for word, kept in zip(bigrams.words, named.tolist(), strict=True) if kept}
    return arranged.restricted(words)


def read_flat(path: Path | str, widths: Collection[int], form: str) -> Clustering:
    """Read words with classes and, if there is a third field, counts, in any order.

    Classes are numbered in the order of the file's numbers, and have bit strings of equal length,
    as such a file has no tree. A word in several lines with the same class counts once.

    A line may have any of the numbers of fields in `widths`; `form` describes it in messages.

    Raises:
        InputError: a malformed line, a word with two classes, or an empty file.
    """
    line_of: dict[str, int] = {}
    found: dict[str, tuple[int, int]] = {}  # class and count of each word
    for number, (word, *values) in read_rows(path, widths, word=0, form=form):
        for value, digits in zip(values, DIGITS, strict=False):
            if not is_whole_number(value, digits):
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


def write_clustercat(clustering: Clustering, path: Path | str) -> None:
    """Write a file as ClusterCat does with --print-freqs; its first class is number 0.

    The most frequent words come first. ClusterCat's --class-file reads it.
    """
    counts, ids = clustering.counts.tolist(), clustering.class_ids.tolist()
    order = sorted(range(len(ids)), key=lambda i: (-counts[i], ids[i], clustering.words[i]))
    write_lines(path, (f"{clustering.words[i]}\t{ids[i]}\t{counts[i]}" for i in order))


def write_mkcls(clustering: Clustering, path: Path | str) -> None:
    """Write a file as mkcls does: words in byte order, the first class with number 2."""
    pairs = zip(clustering.words, clustering.class_ids.tolist(), strict=True)
    rows = sorted((word.encode(), number) for word, number in pairs)
    write_lines(path, (f"{word.decode()}\t{number + FIRST_OF_MKCLS}" for word, number in rows))


_CLUSTERCAT = "word, class and, with --print-freqs, count: ClusterCat"
_MKCLS = "word, class: mkcls"
# A file has the first format that its first lines fit.
FORMATS: Registry[ClassFormat] = Registry(
    "format of word classes",
    {
        "paths": ClassFormat(
            read_paths,
            write_paths,
            lambda fields: len(fields) == 3 and re.fullmatch("[01]*", fields[0]) is not None,
            "bit string, word, count: Liang's wcluster and nlmt classes",
        ),
        "clustercat": ClassFormat(
            partial(read_flat, widths=(2, 3), form=f"a line is {_CLUSTERCAT}"),
            write_clustercat,
            lambda fields: len(fields) == 2 or (len(fields) == 3 and is_whole_number(fields[1])),
            _CLUSTERCAT,
        ),
        "mkcls": ClassFormat(
            partial(read_flat, widths=(2,), form=f"a line is {_MKCLS}"),
            write_mkcls,
            lambda fields: len(fields) == 2,
            _MKCLS,
        ),
    },
)
