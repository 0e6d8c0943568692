"""Weights by the names of their features, as `weights.json` holds them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlmt.io.files import write_text


def name_weights(
    names: Sequence[tuple[str, int]], flat: NDArray[np.float64]
) -> dict[str, list[float]]:
    """Part (F,) weights by label; the reverse of `nlmt.io.nbest.flatten_weights`."""
    values = iter(flat.tolist())
    return {label: [next(values) for _ in range(width)] for label, width in names}


def write_weights(
    path: Path | str, weights: Mapping[str, Sequence[float]], **facts: float | int
) -> None:
    """Write {"weights": {"LM0": [0.5], ...}, "bleu": ..., ...} atomically.

    Args:
        path: the file.
        weights: label to weights.
        facts: what else to say, such as bleu, seed and iterations.
    """
    content = {"weights": {label: list(values) for label, values in weights.items()}, **facts}
    write_text(path, json.dumps(content, indent=2) + "\n")
