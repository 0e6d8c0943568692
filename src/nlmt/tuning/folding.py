"""Tune some features only: all others become one, in the proportions of given weights."""

from collections.abc import Collection
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
        tuned: labels to keep; empty: all of them.
        weights: (F,) of all features.

    Raises:
        InputError: a label that the pool does not have.
    """
    labels = [label for label, width in pool.names for _ in range(width)]
    for label in tuned:
        if label not in labels:
            have = ", ".join(dict.fromkeys(labels)) or "no names"
            raise InputError(f"no feature {label} to tune", mend=f"there are {have}")
    mask = np.array([label in tuned for label in labels], bool)
    if not tuned or mask.all():
        return Folding(pool, np.arange(pool.features.shape[1]), None)
    rest = np.where(mask, 0.0, weights)
    # Not a matrix product: that may add up the rows at its edges in another order.
    folded = np.zeros(len(pool))
    for weight, column in zip(rest, pool.features.T, strict=True):
        folded += weight * column
    features = np.column_stack([pool.features[:, mask], folded])
    names = [name for name in pool.names if name[0] in tuned]
    smaller = replace(pool, features=features, names=[*names, ("rest", 1)])
    return Folding(smaller, np.flatnonzero(mask), rest)
