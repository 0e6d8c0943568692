"""Common parts of lattices' text formats: names of values, and the compiled writers."""

from collections.abc import Mapping, Sequence

import numpy as np

from nlmt.io import _lattice
from nlmt.io.fields import is_whole_number, parse_number
from nlmt.io.lattice import Lattice
from nlmt.io.nbest import flatten_weights
from nlmt.io.weights import group_by_label, name_weights

_LARGEST = 1e30  # of a score


def format_lattice(lattice: Lattice, kind: str) -> list[str]:
    """The text of a lattice as a search graph (osgx), or in the format slf or openfst."""
    names = value_names(lattice.feature_names)
    flat = flatten_weights(lattice.feature_names, lattice.weights)
    return _lattice.text(lattice.arrays(), list(lattice.words), names, list(flat), kind)


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
