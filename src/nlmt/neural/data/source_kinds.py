"""The kinds of vectors of the source: their arrays in a model's folder, and their encoders.

A kind is an entry of `KINDS` under the value of the key `source` whose vectors it makes. Its arrays
are made by training (`nlmt.neural.training.source_side`) and stand beside the model's parameters in
`model.safetensors`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nlmt.errors import InputError
from nlmt.neural.data.source_vectors import SourceEncoder, TableEncoder
from nlmt.neural.data.tensors import Tensors
from nlmt.neural.data.transform import TransformEncoder
from nlmt.neural.keys.architecture import Architecture

# Names of arrays.
TABLE = "source_table"  # (S, numbers) of each word of the source
FEATURES, WEIGHTS = "transform_features", "transform_weights"  # (r,); (r, numbers)
TARGET_TABLE = "target_table"  # (V, numbers) of each word of the target


@dataclass(frozen=True)
class VectorKind:
    """A kind of vectors, made from arrays.

    Attributes:
        names: of the arrays.
        shapes: of arrays of numbers, from the architecture, the sizes of the target's and the
            source's vocabulary, and all arrays of the folder.
        encoder: makes the encoder from the arrays.
        fault: what is wrong with the others; empty if nothing is.
    """

    names: tuple[str, ...]
    shapes: Callable[[Architecture, int, int, Tensors], dict[str, tuple[int, ...]]]
    encoder: Callable[[Architecture, Tensors], SourceEncoder]
    fault: Callable[[Architecture, Tensors], str] = lambda architecture, arrays: ""


def _table_shapes(
    architecture: Architecture, _words: int, source_words: int, _arrays: Tensors
) -> dict[str, tuple[int, ...]]:
    return {TABLE: (source_words, architecture.source_dim)}


def _table_encoder(architecture: Architecture, arrays: Tensors) -> SourceEncoder:
    a = architecture
    return TableEncoder(a.source, a.source_places, arrays[TABLE], a.source_weights)


def _transform_shapes(
    architecture: Architecture, words: int, _source_words: int, arrays: Tensors
) -> dict[str, tuple[int, ...]]:
    dim = architecture.source_dim
    return {WEIGHTS: (arrays[FEATURES].size, dim), TARGET_TABLE: (words, dim)}


def _transform_encoder(architecture: Architecture, arrays: Tensors) -> SourceEncoder:
    a = architecture
    target = TableEncoder("lsa", (), arrays[TARGET_TABLE], a.source_weights)
    return TransformEncoder(a.source_bits, arrays[FEATURES], arrays[WEIGHTS], target)


def _transform_fault(architecture: Architecture, arrays: Tensors) -> str:
    ids = arrays.get(FEATURES)
    if ids is None:
        return f"no {FEATURES}"
    rising = ids.ndim == 1 and ids.dtype == np.int32 and ids.size > 0 and np.all(np.diff(ids) > 0)
    if not rising or ids[0] < 0 or ids[-1] >= 1 << architecture.source_bits:
        return f"{FEATURES} are not rising numbers of {architecture.source_bits} bits"
    return ""


_OF_WORDS = VectorKind((TABLE,), _table_shapes, _table_encoder)
KINDS: Mapping[str, VectorKind] = {
    "lsa": _OF_WORDS,
    "averaged": _OF_WORDS,
    "concatenated": _OF_WORDS,
    "transform": VectorKind(
        (FEATURES, WEIGHTS, TARGET_TABLE), _transform_shapes, _transform_encoder, _transform_fault
    ),
}


def array_shapes(
    architecture: Architecture, words: int, source_words: int, arrays: Tensors, path: Path
) -> dict[str, tuple[int, ...]]:
    """The shapes of the arrays of numbers from which vectors of the source are made.

    Args:
        architecture: of the model.
        words: V.
        source_words: S.
        arrays: all that the model's folder has.
        path: of their file.

    Raises:
        InputError: an array that does not hold such numbers is missing or damaged.
    """
    kind = KINDS.get(architecture.source)
    if kind is None:
        return {}
    fault = kind.fault(architecture, arrays)
    if fault:
        raise InputError(fault, path=path, hint="train the model again")
    return kind.shapes(architecture, words, source_words, arrays)


def own_arrays(architecture: Architecture, arrays: Tensors) -> Tensors:
    """The arrays from which vectors of the source are made."""
    kind = KINDS.get(architecture.source)
    return {} if kind is None else {name: arrays[name] for name in kind.names}


def source_encoder(architecture: Architecture, arrays: Tensors) -> SourceEncoder | None:
    """The encoder of vectors of the source; None where the model has none."""
    kind = KINDS.get(architecture.source)
    return None if kind is None else kind.encoder(architecture, arrays)
