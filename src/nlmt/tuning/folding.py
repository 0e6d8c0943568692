"""Tuning of some features: all others become one, in the proportions of given weights."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmt.tuning.feature_names import divide, keep_names
from nlmt.tuning.pool import Pool


@dataclass(frozen=True, eq=False)
class Folding:
    """A pool with fewer features, and the conversion of its weights back to all features.

    Attributes:
        pool: the tuned features, then the one that represents the rest, if any.
        kept: columns of the tuned features.
        rest: (F,) weights of the other features, 0 for tuned ones and those left out; None: there
            are none.
        width: F.
    """

    pool: Pool
    kept: NDArray[np.int64]
    rest: NDArray[np.float64] | None
    width: int

    def shrink(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert weights of all features to the smaller pool, where the rest has weight 1."""
        rest = [] if self.rest is None else [1.0]
        return np.concatenate([weights[self.kept], rest])

    def project(self, features: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """Convert values (N, F) of all features to (N, features of the smaller pool)."""
        kept = np.asarray(features[:, self.kept], np.float64)
        if self.rest is None:
            return np.ascontiguousarray(kept)
        # Not a matrix product, which may sum the rows at its edges in another order.
        folded = np.zeros(len(features))
        for weight, column in zip(self.rest, features.T, strict=True):
            folded += weight * column
        return np.column_stack([kept, folded])

    def expand(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert weights of the smaller pool to (F,) weights."""
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

    `tuned` and `left_out` are as in `select_tuned` and `select_left_out`; `weights` (F,) are those
    of all features.

    Raises:
        InputError: a feature that the pool lacks, or nothing to tune.
    """
    if not tuned and not left_out:
        return Folding(pool, np.arange(len(weights)), None, len(weights))
    mask, others = divide(pool.names, tuned, left_out)
    kept = np.flatnonzero(mask)
    if mask.all():
        return Folding(pool, kept, None, len(mask))
    names, rest = keep_names(pool.names, mask), None
    if others.any():
        names, rest = [*names, ("rest", 1)], np.where(others, weights, 0.0)
    folding = Folding(pool, kept, rest, len(mask))
    smaller = replace(pool, features=folding.project(pool.features), names=names)
    return replace(folding, pool=smaller)
