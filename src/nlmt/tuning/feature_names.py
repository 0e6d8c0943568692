"""Selection of features by labels (`LM0`), kinds (`LM`), single scores (`TranslationModel0.2`)."""

from collections.abc import Collection, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.io.nbest import flatten_weights
from nlmt.io.weights import Weights, name_weights

Names = Sequence[tuple[str, int]]


def select_named(names: Names, wanted: Collection[str]) -> NDArray[np.bool_]:
    """Whether each feature value is wanted (F,); missing ones are ignored.

    `wanted` are labels, kinds or single scores, counted from 0.
    """
    return np.array(
        [
            label in wanted or label.rstrip("0123456789") in wanted or f"{label}.{i}" in wanted
            for label, i in _scores(names)
        ],
        bool,
    )


def select_tuned(names: Names, tuned: Collection[str]) -> NDArray[np.bool_]:
    """Whether each feature value is to be tuned (F,).

    Args:
        names: labels and numbers of values.
        tuned: labels, kinds or single scores, counted from 0; a kind may be missing, if a system
            has no model of it. Empty: all are to be tuned.

    Raises:
        InputError: a missing label or score, or nothing is left to tune.
    """
    if not tuned:
        return np.ones(len(_scores(names)), bool)
    for wanted in tuned:
        if wanted[-1:].isdigit() and not select_named(names, [wanted]).any():
            raise InputError(f"no feature {wanted} to tune", hint=_hint(names))
    mask = select_named(names, tuned)
    if not mask.any():
        raise InputError(f"no feature {' or '.join(tuned)} to tune", hint=_hint(names))
    return mask


def select_left_out(names: Names, left_out: Collection[str]) -> NDArray[np.bool_]:
    """Whether each feature value is left out, with a weight of 0 (F,).

    Raises:
        InputError: one is missing.
    """
    for unwanted in left_out:
        if not select_named(names, [unwanted]).any():
            raise InputError(f"no feature {unwanted} to leave out", hint=_hint(names))
    return select_named(names, left_out)


def leave_out(weights: Weights, left_out: Collection[str]) -> dict[str, list[float]]:
    """Weights (by label) with those of the features that are left out at 0.

    Raises:
        InputError: as in `select_left_out`.
    """
    names = [(label, len(values)) for label, values in weights.items()]
    flat = flatten_weights(names, weights)
    return name_weights(names, np.where(select_left_out(names, left_out), 0.0, flat))


def divide(
    names: Names, tuned: Collection[str], left_out: Collection[str]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Masks (F,) of the values that are tuned, and of those kept in fixed proportions.

    The rest is left out.

    Raises:
        InputError: as in `select_tuned` and `select_left_out`, or nothing is left to tune.
    """
    dropped = select_left_out(names, left_out)
    mask = select_tuned(names, tuned) & ~dropped
    if not mask.any():
        raise InputError("no feature is left to tune", hint=f"left out: {', '.join(left_out)}")
    return mask, ~(mask | dropped)


def keep_names(names: Names, mask: NDArray[np.bool_]) -> list[tuple[str, int]]:
    """Labels and numbers of values of the (F,) values that are kept."""
    kept = [label for (label, _), keep in zip(_scores(names), mask, strict=True) if keep]
    return [(label, len(list(group))) for label, group in groupby(kept)]


def _scores(names: Names) -> list[tuple[str, int]]:
    """Label and number within it of each value."""
    return [(label, i) for label, width in names for i in range(width)]


def _hint(names: Names) -> str:
    shown = [
        label if width == 1 else f"{label} ({label}.0 to {label}.{width - 1})"
        for label, width in names
    ]
    return f"there are {', '.join(shown) or 'no names'}"
