"""Tune some features only: all others become one, in the proportions of given weights."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nlmt.errors import InputError
from nlmt.tuning.pool import Pool


@dataclass(frozen=True, eq=False)
class Folding:
    """A pool of fewer features, and the way back to weights of all.

    Attributes:
        pool: the tuned features, and behind them the one that stands for the rest, if any.
        kept: columns of the tuned features.
        rest: (F,) weights of the others, 0 for the tuned ones; None where all are tuned.
    """

    pool: Pool
    kept: NDArray[np.int64]
    rest: NDArray[np.float64] | None

    def shrink(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights of all features as a point of the smaller pool: the rest counts once."""
        rest = [] if self.rest is None else [1.0]
        return np.concatenate([weights[self.kept], rest])

    def expand(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """(F,) weights of a point of the smaller pool."""
        if self.rest is None:
            return weights
        full: NDArray[np.float64] = float(weights[-1]) * self.rest
        full[self.kept] = weights[:-1]
        return full


def fold(pool: Pool, tuned: Collection[str], weights: NDArray[np.float64]) -> Folding:
    """Keep the features of some labels, and fold the others into one.

    Args:
        pool: its features must have names.
        tuned: labels to keep, as in `select`; empty: all of them.
        weights: (F,) of all features.

    Raises:
        InputError: a label that the pool does not have.
    """
    mask = select(pool.names, tuned)
    if mask.all():
        return Folding(pool, np.arange(pool.features.shape[1]), None)
    rest = np.where(mask, 0.0, weights)
    # Not a matrix product: that may add up the rows at its edges in another order.
    folded = np.zeros(len(pool))
    for weight, column in zip(rest, pool.features.T, strict=True):
        folded += weight * column
    features = np.column_stack([pool.features[:, mask], folded])
    kept = {label for label, tuned in zip(_flat(pool.names), mask, strict=True) if tuned}
    names = [name for name in pool.names if name[0] in kept]
    smaller = replace(pool, features=features, names=[*names, ("rest", 1)])
    return Folding(smaller, np.flatnonzero(mask), rest)


def select(names: Sequence[tuple[str, int]], tuned: Collection[str]) -> NDArray[np.bool_]:
    """(F,) whether each feature value is one of those to tune.

    Args:
        names: labels and numbers of values.
        tuned: labels (`LM0`), or kinds, labels without their number (`LM`): then there may be none,
            as where a system has no model of the kind. Empty: all are to be tuned.

    Raises:
        InputError: a label that is not there, or nothing is left to tune.
    """
    labels = _flat(names)
    have = ", ".join(dict.fromkeys(labels)) or "no names"
    for label in tuned:
        if label not in labels and label[-1:].isdigit():
            raise InputError(f"no feature {label} to tune", hint=f"there are {have}")
    mask = [label in tuned or label.rstrip("0123456789") in tuned for label in labels]
    if tuned and not any(mask):
        raise InputError(f"no feature {' or '.join(tuned)} to tune", hint=f"there are {have}")
    return np.array(mask if tuned else [True] * len(labels), bool)


def _flat(names: Sequence[tuple[str, int]]) -> list[str]:
    """The label of each value."""
    return [label for label, width in names for _ in range(width)]
