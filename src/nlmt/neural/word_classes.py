"""The classes of a vocabulary's words."""

import logging
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.classes import read_paths
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.neural import _kernel
from nlmt.vocabulary import SPECIAL, UNKNOWN, Vocabulary

HEADER = "word\tclass"


@dataclass(frozen=True, eq=False)
class WordClasses:
    """A class for each word, none empty.

    Attributes:
        of: (V,) class of each word.
    """

    of: NDArray[np.int32]
    name = "classes"

    @property
    def words(self) -> int:
        """V."""
        return len(self.of)

    @cached_property
    def count(self) -> int:
        """Number of classes."""
        return int(self.of.max()) + 1

    @classmethod
    def from_paths(cls, path: Path | str, vocabulary: Vocabulary) -> "WordClasses":
        """Fit a file of Brown classes (Liang's `paths`) to a vocabulary.

        Words of the file that the vocabulary lacks are passed over. `</s>`, and `<s>`, which no
        model predicts, share a class of their own; `<unk>` has one where the file does not name it,
        and words without a class go there.

        Raises:
            InputError: a malformed file, or one that names no word of the vocabulary.
        """
        clustering = read_paths(path)
        found = clustering.lookup(vocabulary.words)
        special = [vocabulary.begin, vocabulary.end]
        found[special] = len(clustering.bits)
        words = check_coverage(found, vocabulary, path)
        missing = found < 0
        if found[vocabulary.unknown] < 0:
            found[vocabulary.unknown] = len(clustering.bits) + 1
        found[missing] = found[vocabulary.unknown]
        if words:
            logging.warning(
                "%d words without a class, such as %s, go to that of %s",
                len(words),
                words[0],
                UNKNOWN,
            )
        # Classes whose words are all outside the vocabulary leave gaps.
        return cls(np.unique(found, return_inverse=True)[1].astype(np.int32))

    @classmethod
    def load(cls, path: Path | str, vocabulary: Vocabulary) -> "WordClasses":
        """Read what `rows` gives.

        Raises:
            InputError: a malformed line, or other words than the vocabulary's.
        """
        of = np.full(len(vocabulary), -1, dtype=np.int32)
        number = {word: i for i, word in enumerate(vocabulary.words)}
        for line, row in enumerate(read_lines(path), start=1):
            word, _, name = row.partition("\t")
            if line == 1:
                if row != HEADER:
                    raise InputError(f"the first line is not {HEADER!r}", path=path, line=1)
            elif word not in number or not name.isascii() or not name.isdigit() or len(name) > 9:
                what = f"no word of the vocabulary and its class: {row!r}"
                raise InputError(what, path=path, line=line, hint="it belongs to another model")
            else:
                of[number[word]] = int(name)
        if of.min() < 0 or len(np.unique(of)) != of.max() + 1:
            what = "a word without a class, or a class without words"
            raise InputError(what, path=path, hint="it belongs to another model")
        return cls(of)

    def rows(self, vocabulary: Vocabulary) -> list[str]:
        """Word and class, tab between, with a heading."""
        pairs = zip(vocabulary.words, self.of.tolist(), strict=True)
        return [HEADER, *(f"{word}\t{number}" for word, number in pairs)]

    def shapes(self, dim: int) -> dict[str, tuple[int, ...]]:
        """See `Structure`."""
        return {
            "class_weight": (self.count, dim),
            "class_bias": (self.count,),
            "word_weight": (self.words, dim),
            "word_bias": (self.words,),
        }

    def unigram_biases(self, counts: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """See `Structure`: of the class, and of the word within it."""
        by_class = np.bincount(self.of, weights=counts, minlength=self.count)
        with np.errstate(divide="ignore"):
            return {
                "class_bias": np.log(by_class / by_class.sum()),
                "word_bias": np.log(counts / by_class[self.of]),
            }

    def compiled(self, dim: int) -> _kernel.Output32:
        """See `Structure`."""
        return _kernel.ClassOutput32(self.of, self.count, dim, False)


def check_coverage(found: NDArray[np.int32], vocabulary: Vocabulary, path: Path | str) -> list[str]:
    """The words, but for the special ones, that a class file does not name (`found` is negative).

    Raises:
        InputError: more than half of the vocabulary.
    """
    words = [vocabulary.words[i] for i in np.flatnonzero(found < 0) if i >= len(SPECIAL)]
    if 2 * len(words) > len(vocabulary):
        raise InputError(
            f"{len(words)} of the {len(vocabulary)} words of the training text have no class",
            path=path,
            hint="cluster the words of that text: nlmt classes brown",
        )
    return words
