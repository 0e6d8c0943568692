"""Feature weights by label: `weights.json`."""

import re
import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.json_files import read_json, write_json

Weights = Mapping[str, Sequence[float]]  # of the values of each feature, by its label


def read_weights(path: Path | str) -> dict[str, list[float]]:
    """Weights of a `weights.json`: {"weights": {"LM0": [0.5], ...}, ...}.

    Raises:
        InputError: no such file, not JSON, or not of this form; names the file and the label.
    """
    weights = read_json(path).get("weights")
    if not isinstance(weights, dict):
        raise InputError('no "weights"', path=path, hint='{"weights": {"LM0": [0.5]}}')
    for label, values in weights.items():
        if not isinstance(values, list) or not all(map(_is_number, values)):
            raise InputError(f"{label}: not a list of numbers", path=path)
    return weights


def write_weights(path: Path | str, weights: Weights, **facts: Any) -> None:
    """Write {"weights": {"LM0": [0.5], ...}, "bleu": ..., ...} atomically.

    `facts` are further keys for JSON, such as bleu, warnings, seed, iterations and decoder.
    """
    content = {"weights": {label: list(values) for label, values in weights.items()}, **facts}
    write_json(path, content)


def name_weights(
    names: Sequence[tuple[str, int]], flat: NDArray[np.float64]
) -> dict[str, list[float]]:
    """Split weights (F,) by label: the inverse of `nlmt.io.nbest.flatten_weights`."""
    values = iter(flat.tolist())
    return {label: [next(values) for _ in range(width)] for label, width in names}


def group_by_label(names: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Adjacent names of values, such as TM0_0 and TM0_1, by the label before their numbers."""
    groups = groupby(names, key=lambda name: re.sub(r"(?<=.)_[0-9]+$", "", name))
    return [(label, list(some)) for label, some in groups]


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max  # also of a whole number of hundreds of digits
