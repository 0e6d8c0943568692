"""Class-factored output: p(class | h) p(word | class, h) (Goodman 2001).

Baltescu and Blunsom 2015, section 2.1.
"""

import logging
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.classes import Clustering
from nlmt.classes.class_files import read_classes as read_class_file
from nlmt.errors import InputError
from nlmt.io.fields import is_whole_number
from nlmt.io.files import read_lines
from nlmt.neural import _kernel
from nlmt.neural.outputs.layout import Arrays, OutputArrays, OutputLayout
from nlmt.neural.settings.architecture import Architecture
from nlmt.vocabulary import SPECIAL, UNKNOWN, Vocabulary

if TYPE_CHECKING:
    from torch import nn


HEADER = "word\tclass"


@dataclass(frozen=True, eq=False)
class WordClasses(OutputLayout):
    """A class for each word; no class is empty.

    `of` (V,) is the class of each word.
    """

    of: NDArray[np.int32]

    contrasts = True
    takes_word_tree = False
    decodes = True
    name = "classes"

    @classmethod
    @override
    def needs_classes(cls, settings: Architecture) -> bool:
        return True

    @classmethod
    @override
    def build(
        cls,
        settings: Architecture,
        vocabulary: Vocabulary,
        counts: NDArray[np.float64],
        classes: Path | str | None,
    ) -> "WordClasses":
        return cls.from_paths(need_classes(classes, "a class-factored output"), vocabulary)

    @property
    @override
    def words(self) -> int:
        return len(self.of)

    @cached_property
    @override
    def count(self) -> int:
        return int(self.of.max()) + 1

    @classmethod
    def from_paths(cls, path: Path | str, vocabulary: Vocabulary) -> "WordClasses":
        """Fit a file of Brown classes (Liang's `paths`) to a vocabulary.

        Words of the file that the vocabulary lacks are ignored. `</s>`, and `<s>`, which no
        model predicts, share a class of their own; `<unk>` has one where the file lacks it, and
        words without a class join it.

        Raises:
            InputError: a malformed file, or one that lacks most words of the vocabulary.
        """
        clustering, found, words = read_classes(path, vocabulary)
        found[[vocabulary.begin, vocabulary.end]] = len(clustering.bits)
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
    @override
    def load(cls, path: Path, vocabulary: Vocabulary, arrays: Arrays) -> "WordClasses":
        of = np.full(len(vocabulary), -1, dtype=np.int32)
        number = {word: i for i, word in enumerate(vocabulary.words)}
        for line, row in read_rows(path, HEADER):
            word, _, name = row.partition("\t")
            if word not in number or not is_whole_number(name, 9):
                what = f"not a word of the vocabulary and its class: {row!r}"
                raise InputError(what, path=path, line=line, hint="it belongs to another model")
            of[number[word]] = int(name)
        if of.min() < 0 or len(np.unique(of)) != of.max() + 1:
            what = "a word without a class, or a class without words"
            raise InputError(what, path=path, hint="it belongs to another model")
        return cls(of)

    @override
    def rows(self, vocabulary: Vocabulary) -> list[str]:
        pairs = zip(vocabulary.words, self.of.tolist(), strict=True)
        return [HEADER, *(f"{word}\t{number}" for word, number in pairs)]

    @override
    def shapes(self, dim: int) -> dict[str, tuple[int, ...]]:
        return {
            "class_weight": (self.count, dim),
            "class_bias": (self.count,),
            "word_weight": (self.words, dim),
            "word_bias": (self.words,),
        }

    @override
    def unigram_biases(self, counts: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        by_class = np.bincount(self.of, weights=counts, minlength=self.count)
        # The class of `<s>` alone has a count of 0, too.
        totals = np.where(by_class > 0, by_class, 1.0)
        with np.errstate(divide="ignore"):
            return {
                "class_bias": np.log(by_class / by_class.sum()),
                "word_bias": np.log(counts / totals[self.of]),
            }

    @override
    def torch_layer(self, dim: int) -> "nn.Module":
        from nlmt.neural.torch_backend.class_output import ClassOutput

        return ClassOutput(self.of, self.count, dim)

    @override
    def compiled(self, dim: int) -> _kernel.Output32:
        return _kernel.ClassOutput32(self.of, self.count, dim, False)

    @classmethod
    @override
    def typical_products(cls, settings: Architecture, words: int) -> int:
        return int(3.5 * math.sqrt(words))  # 3 sqrt(V) classes, and the words of one

    @override
    def decoder_arrays(self, parameters: Arrays) -> OutputArrays:
        # The only word of a class has no second layer: its row was never trained.
        several = np.bincount(self.of)[self.of] > 1
        return OutputArrays(
            parameters["word_weight"] * several[:, None],
            parameters["word_bias"] * several,
            class_of=self.of,
            class_weight=parameters["class_weight"],
            class_bias=parameters["class_bias"],
        )


def read_rows(path: Path, heading: str) -> Iterator[tuple[int, str]]:
    """Number and text of each line of a model's `classes.tsv` below its heading."""
    for line, row in enumerate(read_lines(path), start=1):
        if line > 1:
            yield line, row
        elif row != heading:
            raise InputError(f"the first line is not {heading!r}", path=path, line=1)


def need_classes(path: Path | str | None, what: str) -> Path | str:
    """The file that an output layer is built from.

    Raises:
        InputError: none is given.
    """
    if path is None:
        hint = "make them with nlmt classes brown --text TEXT --out FILE, and give --classes FILE"
        raise InputError(f"{what} needs word classes", hint=hint)
    return path


def read_classes(
    path: Path | str, vocabulary: Vocabulary
) -> tuple[Clustering, NDArray[np.int32], list[str]]:
    """Classes in any format, the class of each word (V,), -1 for none, and the words without one.

    Special words are not among the last.

    Raises:
        InputError: more than half of the vocabulary has none.
    """
    clustering = read_class_file(path)
    found = clustering.lookup(vocabulary.words)
    words = [vocabulary.words[i] for i in np.flatnonzero(found < 0) if i >= len(SPECIAL)]
    if 2 * len(words) > len(vocabulary):
        raise InputError(
            f"{len(words)} of the {len(vocabulary)} words of the training text have no class",
            path=path,
            hint="cluster the words of that text: nlmt classes brown",
        )
    return clustering, found, words
