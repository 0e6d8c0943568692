"""Files of word classes, as output layers read them."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.classes import Clustering
from nlmt.classes.class_files import read_classes as read_class_file
from nlmt.errors import InputError
from nlmt.vocabulary import SPECIAL, Vocabulary


def need_classes(path: Path | str | None, what: str) -> Path | str:
    """The file that an output layer is built from.

    Raises:
        InputError: none is given.
    """
    if path is None:
        hint = "make them with nlmt classes brown --text TEXT --out FILE, and give --classes FILE"
        raise InputError(f"{what} needs word classes", hint=hint)
    return path


def read_classes(path: Path | str, vocabulary: Vocabulary) -> tuple[Clustering, NDArray[np.int32]]:
    """Classes in any format, and the class of each word (V,); -1 for words without one.

    Raises:
        InputError: a malformed file.
    """
    clustering = read_class_file(path)
    return clustering, clustering.lookup(vocabulary.words)


def uncovered(found: NDArray[np.int32], vocabulary: Vocabulary, path: Path | str) -> list[str]:
    """The words, except special ones, that a class file lacks (`found` is negative).

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
