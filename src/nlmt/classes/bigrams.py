"""Counts of neighbouring words, the only input of word clustering."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.chunks import in_chunks
from nlmt.errors import InputError
from nlmt.io.fields import split_fields
from nlmt.io.files import read_lines
from nlmt.steps import counted

# Lines counted at a time: bounds memory on a large text, and costs nothing on a small one.
BLOCK = 200_000


@dataclass(frozen=True, eq=False)
class BigramCounts:
    """Distinct bigrams of a text; ids are ranks of words, V is the sentence boundary.

    Attributes:
        words: (V,) words by falling count, ties in code-point order.
        counts: (V,) number of occurrences of each.
        sentences: number of lines with a word.
        first: (bigrams,) id of the first word, sorted; V at the beginning of a sentence.
        second: (bigrams,) id of the second word, sorted among equal first; V at the end.
        number: (bigrams,) number of occurrences of the bigram.
    """

    words: tuple[str, ...]
    counts: NDArray[np.int64]
    sentences: int
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    number: NDArray[np.int64]


def count_bigrams(lines: Iterable[str]) -> BigramCounts:
    """Count the bigrams within the lines of a text, each line enclosed by the sentence boundary.

    Liang's wcluster reads a text as one stream, so that the last word of a line and the first of
    the next form a bigram. Here the boundary is between them: it is a context of both, never a
    member of a class. So every word has one neighbour on either side, the row and column sums of
    the counts are the words' frequencies, and the maximised sum is a proper mutual information.

    Words are separated by spaces and tabs; lines without a word are ignored.
    """
    ids = {"\n": 0}  # the boundary, as no word can be a newline
    counter = _Counter()
    sentences = 0
    for block in in_chunks(lines, BLOCK):
        stream = [0]
        for line in block:
            if words := split_fields(line):
                stream.extend([ids.setdefault(word, len(ids)) for word in words])
                stream.append(0)
                sentences += 1
        if len(stream) == 1:
            continue  # a block of empty lines
        text = np.array(stream, dtype=np.int64)
        counter.add(*np.unique(text[:-1] << 32 | text[1:], return_counts=True))
    if sentences == 0:
        nothing = np.empty(0, dtype=np.int32)
        none = np.empty(0, dtype=np.int64)
        return BigramCounts((), none, 0, nothing, nothing, none)

    keys, number = counter.total()
    first, second = keys >> 32, keys & 0xFFFFFFFF

    counts = np.zeros(len(ids), dtype=np.int64)
    np.add.at(counts, first, number)
    names = list(ids)
    order = sorted(range(1, len(names)), key=lambda word: (-counts[word], names[word]))
    rank = np.empty(len(ids), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    rank[0] = len(order)
    first, second = rank[first], rank[second]
    by_rank = np.lexsort((second, first))
    return BigramCounts(
        words=tuple(names[word] for word in order),
        counts=counts[order],
        sentences=sentences,
        first=first[by_rank],
        second=second[by_rank],
        number=number[by_rank],
    )


class _Counter:
    """Counts of keys that come in blocks; memory grows with distinct keys, not with blocks.

    As in a merge sort, two sets are merged when they are about equally large, so that each key is
    copied only as many times as the logarithm of the number of blocks.
    """

    def __init__(self) -> None:
        self._sets: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []  # from large to small

    def add(self, keys: NDArray[np.int64], number: NDArray[np.int64]) -> None:
        """Add distinct keys, sorted, and their counts."""
        self._sets.append((keys, number))
        while len(self._sets) > 1 and len(self._sets[-2][0]) < 2 * len(self._sets[-1][0]):
            self._join()

    def total(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All keys, sorted, and their counts."""
        while len(self._sets) > 1:
            self._join()
        return self._sets[0]

    def _join(self) -> None:
        keys, number = (
            np.concatenate(parts) for parts in zip(self._sets.pop(), self._sets.pop(), strict=True)
        )
        order = np.argsort(keys, kind="stable")  # merges sorted runs
        keys, number = keys[order], number[order]
        begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        self._sets.append((keys[begins], np.add.reduceat(number, begins)))


def read_bigrams(*paths: Path | str) -> BigramCounts:
    """Count the bigrams of text files, plain or gzip, jointly.

    Raises:
        InputError: no such file, not UTF-8, or no word in it.
    """
    lines = (line for path in paths for line in read_lines(path))
    bigrams = count_bigrams(counted(lines, "count bigrams"))
    if not bigrams.words:
        raise InputError("no words to cluster: the text is empty", path=paths[0])
    return bigrams


def average_mutual_information(bigrams: BigramCounts, class_ids: NDArray[np.int32]) -> float:
    """Average mutual information of the classes of neighbouring words, in nats.

    Brown et al. 1992, equation 15: the sum over classes a, b of
    p(a, b) log (p(a, b) / (p(a, .) p(., b))), where the sentence boundary is a class of its own.

    `class_ids` (V,) has the class of each word.
    """
    if len(bigrams.number) == 0:
        return 0.0
    classes = int(class_ids.max()) + 2
    class_of = np.append(class_ids, classes - 1).astype(np.int64)  # the boundary is the last
    cells = class_of[bigrams.first] * classes + class_of[bigrams.second]
    if classes * classes > len(cells):  # few of the cells are used
        seen, of = np.unique(cells, return_inverse=True)
        table = np.bincount(of, weights=bigrams.number)
    else:
        table = np.bincount(cells, weights=bigrams.number)
        seen = np.flatnonzero(table)
        table = table[seen]
    joint = table / table.sum()
    left, right = (
        np.bincount(side, weights=joint, minlength=classes)[side]
        for side in (seen // classes, seen % classes)
    )
    return float(np.sum(joint * np.log(joint / (left * right))))
