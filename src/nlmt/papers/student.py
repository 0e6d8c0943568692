"""Confidence intervals of differences between means of a few runs."""

import math
import statistics
from collections.abc import Sequence

# Quantiles of Student's t by degrees of freedom from 1; beyond the last one, the normal
# distribution's are within 2 per cent.
_QUANTILES = {
    0.95: (
        6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812,
        1.796, 1.782, 1.771, 1.761, 1.753, 1.746, 1.740, 1.734, 1.729, 1.725,
        1.721, 1.717, 1.714, 1.711, 1.708, 1.706, 1.703, 1.701, 1.699, 1.697,
    ),
    0.975: (
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
        2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
    ),
}  # fmt: skip
_NORMAL = {0.95: 1.645, 0.975: 1.960}


def half_width(first: Sequence[float], second: Sequence[float], quantile: float) -> float | None:
    """Half-width of the interval of a difference of means of unequal variance (Welch 1947).

    Args:
        first: values of independent runs.
        second: likewise.
        quantile: 0.975 for an interval of 95 per cent, 0.95 for one of 90.

    Returns:
        None if either is a single run, whose spread is unknown.
    """
    if min(len(first), len(second)) < 2:
        return None
    squares = [statistics.variance(runs) / len(runs) for runs in (first, second)]
    if sum(squares) == 0:
        return 0.0
    freedom = sum(squares) ** 2 / sum(
        square**2 / (len(runs) - 1) for square, runs in zip(squares, (first, second), strict=True)
    )
    return _factor(freedom, quantile) * math.sqrt(sum(squares))


def paired_half_width(
    first: Sequence[float], second: Sequence[float], quantile: float
) -> float | None:
    """Half-width of the interval of the mean difference of paired runs.

    Args:
        first: values of the runs.
        second: values of the corresponding runs.
        quantile: as in `half_width`.

    Returns:
        None for a single run.
    """
    differences = [a - b for a, b in zip(first, second, strict=True)]
    if len(differences) < 2:
        return None
    deviation = statistics.stdev(differences) / math.sqrt(len(differences))
    return _factor(len(differences) - 1, quantile) * deviation


def _factor(freedom: float, quantile: float) -> float:
    """A quantile, with degrees of freedom rounded down, which widens the interval."""
    table = _QUANTILES[quantile]
    whole = max(1, math.floor(freedom + 1e-9))
    return table[whole - 1] if whole <= len(table) else _NORMAL[quantile]
