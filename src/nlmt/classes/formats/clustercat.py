"""The output of ClusterCat (Dehdari, Tan and van Genabith 2016): word, class, optional count."""

from pathlib import Path

from nlmt.classes.clustering import Clustering
from nlmt.classes.formats.flat import read_flat
from nlmt.classes.formats.format import ClassFormat
from nlmt.io.files import write_lines

FORM = "word, class and, with --print-freqs, count: ClusterCat"


def read_clustercat(path: Path | str) -> Clustering:
    """Read a file of ClusterCat by `read_flat`."""
    return read_flat(path, (2, 3), f"a line is {FORM}")


def write_clustercat(clustering: Clustering, path: Path | str) -> None:
    """Write a file as ClusterCat does with --print-freqs; its first class is number 0.

    As in its own files, the most frequent words come first. ClusterCat's --class-file reads it.
    """
    counts, ids = clustering.counts.tolist(), clustering.class_ids.tolist()
    order = sorted(range(len(ids)), key=lambda i: (-counts[i], ids[i], clustering.words[i]))
    write_lines(path, (f"{clustering.words[i]}\t{ids[i]}\t{counts[i]}" for i in order))


CLUSTERCAT = ClassFormat(
    read_clustercat, write_clustercat, lambda fields: len(fields) in (2, 3), FORM
)
