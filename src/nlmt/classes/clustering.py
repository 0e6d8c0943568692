"""Word classes in a binary tree, and their file format."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.fields import is_whole_number, split_fields
from nlmt.io.files import read_lines, write_lines

FORM = "a line is: bit string, tab, word, tab, count, as from nlmt classes brown and wcluster"


def split_row(line: str) -> list[str]:
    """The fields of a line of a class file: between tabs or, where it has none, between blanks.

    GIZA++ reads them by white space. Blanks around a field between tabs are none of it; an empty
    one counts, as the bit string of a single class is.
    """
    return [field.strip(" ") for field in line.split("\t")] if "\t" in line else split_fields(line)


def count_fields(line: str) -> str:
    """The number of fields of a line, in words."""
    between = "tabs" if "\t" in line else "blanks"
    return f"{len(split_row(line))} fields between {between}"


def read_rows(
    path: Path | str, widths: Collection[int], word: int, form: str
) -> Iterator[tuple[int, list[str]]]:
    """The fields of each line of a class file, with its number.

    Args:
        path: of the file.
        widths: numbers of fields that a line may have.
        word: place of the word among them.
        form: of a line, for messages.

    Raises:
        InputError: another number of fields, an empty word, or a blank within a field.
    """
    for number, line in enumerate(read_lines(path), start=1):
        fields = split_row(line)
        if len(fields) not in widths:
            raise InputError(count_fields(line), path=path, line=number, hint=form)
        if not fields[word]:
            raise InputError("the word is empty", path=path, line=number, hint=form)
        for text in fields:
            if " " in text:
                what = f"{text!r}, between tabs, has a blank"
                raise InputError(what, path=path, line=number, hint=form)
        yield number, fields


@dataclass(frozen=True, eq=False)
class Clustering:
    """A partition of words into classes, which are the leaves of a binary tree.

    Classes are numbered from left to right in the tree, which is the order of their bit strings.

    Attributes:
        words: (V,) ordered by class, within a class by falling count.
        counts: (V,) number of occurrences of each word in the clustered text.
        class_ids: (V,) the class of each word, not decreasing.
        bits: (K,) path from the root to each class, `0` is left; empty if there is only one class.
        average_mutual_information: in nats; None if unknown (read from a file).
        start_mutual_information: in nats, before words were moved to better classes.
    """

    words: tuple[str, ...]
    counts: NDArray[np.int64]
    class_ids: NDArray[np.int32]
    bits: tuple[str, ...]
    average_mutual_information: float | None = field(default=None, kw_only=True)
    start_mutual_information: float | None = field(default=None, kw_only=True)

    @cached_property
    def class_of(self) -> dict[str, int]:
        """The class of each word."""
        return dict(zip(self.words, self.class_ids.tolist(), strict=True))

    @property
    def expected_class_size(self) -> float:
        """Mean size of the class of a word of the text."""
        tokens = np.bincount(self.class_ids, weights=self.counts, minlength=len(self.bits))
        words = np.bincount(self.class_ids, minlength=len(self.bits))
        return float(tokens @ words) / max(float(tokens.sum()), 1.0)

    @property
    def expected_path(self) -> float:
        """Mean length of the bit string of a word of the text."""
        lengths = np.array([len(path) for path in self.bits])[self.class_ids]
        return float(lengths @ self.counts) / max(float(self.counts.sum()), 1.0)

    def restricted(self, words: Collection[str]) -> "Clustering":
        """The clustering of some of the words, at least one; empty classes are left out."""
        kept = np.array([word in words for word in self.words])
        numbers, ids = np.unique(self.class_ids[kept], return_inverse=True)
        return replace(
            self,
            words=tuple(word for word in self.words if word in words),
            counts=self.counts[kept],
            class_ids=ids.astype(np.int32),
            bits=tuple(self.bits[number] for number in numbers.tolist()),
        )

    def lookup(self, words: Sequence[str]) -> NDArray[np.int32]:
        """The class of each of `words`, or -1 (it never occurred)."""
        class_of = self.class_of
        return np.array([class_of.get(word, -1) for word in words], dtype=np.int32)


def write_paths(clustering: Clustering, path: Path | str) -> None:
    """Write the `paths` file of Liang's wcluster: bit string, word and count, separated by tabs.

    A single class has an empty bit string.
    """
    write_lines(
        path,
        (
            f"{clustering.bits[c]}\t{word}\t{count}"
            for word, count, c in zip(
                clustering.words,
                clustering.counts.tolist(),
                clustering.class_ids.tolist(),
                strict=True,
            )
        ),
    )


def read_paths(path: Path | str) -> Clustering:
    """Read a file of `write_paths` or Liang's wcluster, with lines in any order.

    Raises:
        InputError: a malformed line, a word that occurs twice, a bit string that is a prefix of
            another, or an empty file.
    """
    entries: list[tuple[str, int, str]] = []  # bit string, minus count, word, in tree order
    line_of_word: dict[str, int] = {}
    line_of_bits: dict[str, int] = {}
    for number, (bits, word, count) in read_rows(path, widths=(3,), word=1, form=FORM):
        if re.fullmatch("[01]*", bits) is None:
            what = f"the bit string {bits!r} has other characters than 0 and 1"
            raise InputError(what, path=path, line=number, hint=FORM)
        if not is_whole_number(count):
            what = f"the count {count!r} is not a number"
            raise InputError(what, path=path, line=number, hint=FORM)
        if (before := line_of_word.setdefault(word, number)) != number:
            what = f"the word {word!r} is already in line {before}"
            raise InputError(what, path=path, line=number, hint="keep one of the two")
        line_of_bits.setdefault(bits, number)
        entries.append((bits, -int(count), word))
    if not entries:
        raise InputError("no classes: the file is empty", path=path, hint="cluster the words again")

    entries.sort()
    leaves = sorted(line_of_bits)
    for bits, after in pairwise(leaves):
        if after.startswith(bits):
            what = f"the bit string {bits!r} of another class is a prefix of {after!r}"
            hint = "classes must be the leaves of a tree"
            raise InputError(what, path=path, line=line_of_bits[after], hint=hint)
    class_of_bits = {bits: number for number, bits in enumerate(leaves)}
    return Clustering(
        words=tuple(word for _, _, word in entries),
        counts=np.array([-count for _, count, _ in entries], dtype=np.int64),
        class_ids=np.array([class_of_bits[bits] for bits, _, _ in entries], dtype=np.int32),
        bits=tuple(leaves),
    )
