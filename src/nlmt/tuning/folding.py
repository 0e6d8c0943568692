"""Tune some features only: all others become one, in the proportions of given weights."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nlmt.tuning.feature_names import divide, keep_names
from nlmt.tuning.pool import Pool


@dataclass(frozen=True, eq=False)
class Folding:
    """A pool of fewer features, and the way back to weights of all.

    Attributes:
        pool: the tuned features, and behind them the one that stands for the rest, if any.
        kept: columns of the tuned features.
        rest: (F,) weights of the others, 0 for tuned ones and those left out; None: there are none.
        width: F.
    """

    pool: Pool
    kept: NDArray[np.int64]
    rest: NDArray[np.float64] | None
    width: int

    def shrink(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights of all features as a point of the smaller pool: the rest counts once."""
        rest = [] if self.rest is None else [1.0]
        return np.concatenate([weights[self.kept], rest])

    def expand(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """(F,) weights of a point of the smaller pool."""
        if self.rest is None:
            full = np.zeros(self.width)
            full[self.kept] = weights
            return full
        full = float(weights[-1]) * self.rest
        full[self.kept] = weights[:-1]
        return full


def fold(
    pool: Pool,
    tuned: Collection[str],
    weights: NDArray[np.float64],
    *,
    left_out: Collection[str] = (),
) -> Folding:
    """Keep some features, fold the others into one, and drop those that are left out.

    Args:
        pool: its features must have names where some are chosen.
        tuned: features to keep, as in `select_tuned`; empty: all of them.
        weights: (F,) of all features.
        left_out: features to drop, as in `select_left_out`.

    Raises:
        InputError: a feature that the pool does not have, or nothing to tune.
    """
    if not tuned and not left_out:
        return Folding(pool, np.arange(len(weights)), None, len(weights))
    mask, others = divide(pool.names, tuned, left_out)
    kept = np.flatnonzero(mask)
    if mask.all():
        return Folding(pool, kept, None, len(mask))
    names, features = keep_names(pool.names, mask), pool.features[:, mask]
    if not others.any():
        return Folding(replace(pool, features=features, names=names), kept, None, len(mask))
    rest = np.where(others, weights, 0.0)
    # Not a matrix product: that may add up the rows at its edges in another order.
    folded = np.zeros(len(pool))
    for weight, column in zip(rest, pool.features.T, strict=True):
        folded += weight * column
    smaller = replace(
        pool, features=np.column_stack([features, folded]), names=[*names, ("rest", 1)]
    )
    return Folding(smaller, kept, rest, len(mask))
