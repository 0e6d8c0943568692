"""What an output layer stands on: word classes, a tree, or the words as they are."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.files import read_lines, write_lines
from nlmt.neural import _kernel
from nlmt.neural.backoff import BackoffModel
from nlmt.neural.config import Architecture
from nlmt.neural.short_list import ShortList
from nlmt.neural.tensors import Tensors
from nlmt.neural.word_classes import WordClasses
from nlmt.neural.word_tree import WordTree
from nlmt.vocabulary import Vocabulary

CLASSES = "classes.tsv"


class Structure(Protocol):
    """The words of an output layer, arranged: `Flat`, `WordClasses`, `WordTree` or `ShortList`.

    Attributes:
        name: what its parts are called in the log.
        count: how many there are.
    """

    name: str

    @property
    def words(self) -> int:
        """V, number of words."""
        ...

    @property
    def count(self) -> int:
        """Number of classes, nodes or whatever the words are arranged in."""
        ...

    def shapes(self, dim: int) -> dict[str, tuple[int, ...]]:
        """Shape of each parameter of the layer, for hidden vectors of `dim` units."""
        ...

    def unigram_biases(self, counts: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Biases that give the unigram model of `counts` (V,) where all weights are zero."""
        ...

    def compiled(self, dim: int) -> _kernel.Output32:
        """The compiled layer, its parameters zero."""
        ...

    def rows(self, vocabulary: Vocabulary) -> list[str]:
        """The lines of the model's file of classes, heading first."""
        ...


@dataclass(frozen=True)
class Flat:
    """The words as they are, for one softmax over all of them.

    Attributes:
        words: V, number of words.
    """

    words: int
    name = "words"

    @classmethod
    def load(cls, path: Path | str, vocabulary: Vocabulary) -> "Flat":
        """Read what `rows` gives.

        Raises:
            InputError: other words than the vocabulary's.
        """
        structure = cls(len(vocabulary))
        if list(read_lines(path)) != structure.rows(vocabulary):
            what = "it does not hold the words of the vocabulary"
            raise InputError(what, path=path, hint="it belongs to another model")
        return structure

    @property
    def count(self) -> int:
        """V."""
        return self.words

    def shapes(self, dim: int) -> dict[str, tuple[int, ...]]:
        """See `Structure`."""
        return {"output_weight": (self.words, dim), "output_bias": (self.words,)}

    def unigram_biases(self, counts: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """See `Structure`."""
        with np.errstate(divide="ignore"):
            return {"output_bias": np.log(counts / counts.sum())}

    def compiled(self, dim: int) -> _kernel.Output32:
        """See `Structure`: one word a class."""
        return _kernel.ClassOutput32(np.arange(self.words, dtype=np.int32), self.words, dim, True)

    def rows(self, vocabulary: Vocabulary) -> list[str]:
        """See `Structure`."""
        return ["word", *vocabulary.words]


def build_structure(
    architecture: Architecture,
    vocabulary: Vocabulary,
    counts: NDArray[np.float64],
    classes: Path | str | None,
    backoff: BackoffModel | None,
) -> Structure:
    """What the output of an architecture stands on.

    Args:
        architecture: names it.
        vocabulary: V words.
        counts: (V,) how often each word is predicted in the training text.
        classes: file of word classes (Liang's `paths`), where one is needed.
        backoff: with the same words, for a short-list.

    Raises:
        InputError: the file is missing, malformed or does not fit the vocabulary.
    """
    if architecture.output == "full":
        return Flat(len(vocabulary))
    if architecture.output == "short-list":
        assert backoff is not None
        return ShortList.most_frequent(architecture.short_list, counts, backoff, vocabulary)
    if architecture.output == "tree-factored" and architecture.tree == "huffman":
        return WordTree.huffman(counts)
    if classes is None:
        what = "a class-factored output" if architecture.output == "class-factored" else "its tree"
        hint = "make them with nlmt classes brown --text TEXT --out FILE, and give --classes FILE"
        raise InputError(f"{what} needs word classes", hint=hint)
    if architecture.output == "tree-factored":
        return WordTree.from_paths(classes, vocabulary, counts)
    return WordClasses.from_paths(classes, vocabulary)


def save_structure(structure: Structure, folder: Path, vocabulary: Vocabulary) -> Tensors:
    """Write a structure's lines into a model's folder, atomically; its arrays are given back."""
    write_lines(folder / CLASSES, structure.rows(vocabulary))
    return structure.arrays() if isinstance(structure, ShortList) else {}


def load_structure(
    architecture: Architecture, folder: Path, vocabulary: Vocabulary, arrays: Tensors
) -> Structure:
    """Read what `save_structure` wrote; `arrays` has what it gave back, and more.

    Raises:
        InputError: a malformed file, or one that does not fit the vocabulary.
    """
    path = folder / CLASSES
    if architecture.output == "short-list":
        return ShortList.load(path, arrays, vocabulary)
    kinds: dict[str, type[Flat] | type[WordClasses] | type[WordTree]] = {
        "full": Flat,
        "class-factored": WordClasses,
        "tree-factored": WordTree,
    }
    return kinds[architecture.output].load(path, vocabulary)


def fingerprint(structure: Structure, vocabulary: Vocabulary) -> str:
    """SHA-256 of all that a structure is made of."""
    digest = hashlib.sha256("\n".join(structure.rows(vocabulary)).encode())
    if isinstance(structure, ShortList):
        digest.update(structure.backoff.fingerprint().encode())
    return digest.hexdigest()
