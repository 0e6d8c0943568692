"""The formats of word classes by name, and conversion between them."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from nlmt.classes.bigrams import BigramCounts
from nlmt.classes.brown import arrange_classes
from nlmt.classes.clustering import Clustering
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.registry import Registry


@dataclass(frozen=True)
class ClassFormat:
    """One format.

    Attributes:
        read: reads a file; an `InputError` names file and line.
        write: writes a clustering to a file.
        begins: whether the fields of a file's first line, separated by tabs, have this format.
        summary: one line.
    """

    read: Callable[[Path], Clustering]
    write: Callable[[Clustering, Path], None]
    begins: Callable[[list[str]], bool]
    summary: str


# A file has the first format that its first line fits.
FORMATS: Registry[ClassFormat] = Registry(
    "format of word classes",
    {
        "paths": "nlmt.classes.formats.paths:PATHS",
        "clustercat": "nlmt.classes.formats.clustercat:CLUSTERCAT",
        "mkcls": "nlmt.classes.formats.mkcls:MKCLS",
    },
)


def read_classes(path: Path | str, name: str | None = None) -> Clustering:
    """Read a file of classes.

    Args:
        path: plain or gzip.
        name: of the format; None: recognise it by the first line.

    Raises:
        InputError: an unknown format, or a file of another format.
    """
    path = Path(path)
    if name is not None:
        return FORMATS.get(name).read(path)
    fields = [line.split("\t") for line in islice(read_lines(path), 1)]
    for _, form in FORMATS.items():
        if not fields or form.begins(fields[0]):
            return form.read(path)
    what = f"no classes: {len(fields[0])} fields between tabs"
    forms = "; ".join(form.summary for _, form in FORMATS.items())
    raise InputError(what, path=path, line=1, hint=f"a line is one of: {forms}")


def convert_classes(
    path: Path | str, name: str | None = None, bigrams: BigramCounts | None = None
) -> Clustering:
    """Read a file of classes; given bigrams of a text, arrange the classes in a tree.

    The tree is made as in every method: each merge of two classes loses the least mutual
    information. Words of the text that the file lacks form a class of their own while the tree is
    made, and are then left out; so are words that are not in the text.

    Args:
        path: as in `read_classes`.
        name: as in `read_classes`.
        bigrams: counts of a text.

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
