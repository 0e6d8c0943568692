"""The class file of mkcls (Och 1999), which GIZA++ and MGIZA read: word and class."""

from pathlib import Path

from nlmt.classes.clustering import Clustering
from nlmt.classes.formats.flat import read_flat
from nlmt.classes.formats.format import ClassFormat
from nlmt.io.files import write_lines

FORM = "word, class: mkcls"
# mkcls reserves 0 for the sentence boundary and 1 for unknown words.
FIRST = 2


def read_mkcls(path: Path | str) -> Clustering:
    """Read a file of mkcls, which has no counts, by `read_flat`."""
    return read_flat(path, (2,), f"a line is {FORM}")


def write_mkcls(clustering: Clustering, path: Path | str) -> None:
    """Write a file as mkcls does: words in byte order, the first class with number 2."""
    pairs = zip(clustering.words, clustering.class_ids.tolist(), strict=True)
    rows = sorted((word.encode(), number) for word, number in pairs)
    write_lines(path, (f"{word.decode()}\t{number + FIRST}" for word, number in rows))


MKCLS = ClassFormat(read_mkcls, write_mkcls, lambda fields: len(fields) == 2, FORM)
