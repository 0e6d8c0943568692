"""Common parts of lattices' text formats: files, names of values, and the compiled writers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from nlmt.errors import InputError
from nlmt.io import _lattice
from nlmt.io.fields import is_whole_number, parse_number
from nlmt.io.lattice import Lattice
from nlmt.io.nbest import flatten_weights
from nlmt.io.weights import group_by_label, name_weights

_LARGEST = 1e30  # of a score


def format_lattice(lattice: Lattice, kind: str) -> list[str]:
    """The text of a lattice as a search graph (osgx), or in the format slf or openfst.

    Raises:
        InputError: a word spelt as the format writes that there is none: `!NULL`, `<eps>`.
    """
    ids, numbers = np.unique(
        np.concatenate([lattice.source, lattice.word_ids]), return_inverse=True
    )
    source, word_ids = np.split(numbers.astype(np.int32), [len(lattice.source)])
    words = [lattice.words[word] for word in ids.tolist()]  # a file's vocabulary may be large
    own = replace(lattice, words=words, source=source, word_ids=word_ids)
    flat = flatten_weights(lattice.feature_names, lattice.weights)
    return _lattice.text(own.arrays(), words, value_names(lattice.feature_names), list(flat), kind)


def numbered_files(folder: Path | str, suffixes: Sequence[str]) -> list[tuple[int, Path]]:
    """The files of a folder in the order of their names, each with its number.

    That is the name without its suffix, or the file's place if the name is no number.
    """
    names = {
        path: path.name.removesuffix(suffix)
        for path in Path(folder).glob("[!.]*")  # a dot begins names of files that are being written
        for suffix in suffixes
        if path.name.endswith(suffix)
    }
    ordered = sorted(names.items(), key=lambda item: (len(item[1]), item[1]))
    return [
        (int(name) if is_whole_number(name, 9) else place, path)
        for place, (path, name) in enumerate(ordered)
    ]


def once_each(found: Iterable[tuple[Path, Lattice]]) -> Iterator[Lattice]:
    """Yield the lattices of files.

    Raises:
        InputError: a second lattice of a sentence, as in `1.slf` and `01.slf` or, by its place,
            `a.slf`; names both files.
    """
    files: dict[int, Path] = {}
    for path, lattice in found:
        first = files.setdefault(lattice.sentence, path)
        if first != path:
            what = f"sentence {lattice.sentence} is in {first.name}, too"
            hint = "a file that does not say its sentence takes the number that is its name, or "
            hint += "else its place in the folder, from 0: name each by a number of its own"
            raise InputError(what, path=path, hint=hint)
        yield lattice


def whole_number(fields: Mapping[str, str], key: str) -> int:
    """The whole number, of up to nine digits, of a field; ValueError if it has none."""
    if not is_whole_number(text := fields.get(key, ""), 9):
        raise ValueError(f"{key}= is missing or no number")
    return int(text)


def parse_score(text: str) -> float:
    """The number of a field, which is small enough for finite products and sums.

    Raises:
        ValueError: it is none, or too large.
    """
    score = parse_number(text)
    if not abs(score) < _LARGEST:
        raise ValueError(f"'{text}' is not a finite number")
    return score


def value_names(feature_names: Sequence[tuple[str, int]]) -> list[str]:
    """A name for each value: `LM0`, or `TM0_1` and `TM0_2` if a feature has several."""
    return [
        label if width == 1 else f"{label}_{number}"
        for label, width in feature_names
        for number in range(1, width + 1)
    ]


def group_names(names: Sequence[str]) -> list[tuple[str, int]]:
    """Features of named values, with different labels if the names differ; see `value_names`."""
    groups = group_by_label(names)
    features = [(label if len(some) > 1 else some[0], len(some)) for label, some in groups]
    same = value_names(features) == list(names) and len(dict(features)) == len(features)
    return features if same else [(name, 1) for name in names]


def label_weights(names: Sequence[str], weights: Sequence[float]) -> dict[str, list[float]]:
    """Weights by label, one for each named value.

    Raises:
        ValueError: two values have the same name.
    """
    if len(set(names)) < len(names):
        raise ValueError("two feature values have the same name")
    return name_weights(group_names(names), np.array(weights, np.float64))
