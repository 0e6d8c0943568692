"""The evidence of our numbers on one comparison of a claim: a difference and its p-values."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from nlmt.evaluation.difference import SIGNIFICANT, Difference, compare_values
from nlmt.papers.claims import RATIOS, TO_A_TOLERANCE, Claim, Relation
from nlmt.papers.results import differences, run_values


def mean_of(row: Mapping[str, Any]) -> float:
    """The mean of the runs of a row, also of times, whose value is the least."""
    runs = run_values(row)
    return fmean(runs) if runs else float(row["value"])


def effect_of(claim: Claim, better: Mapping[str, Any], worse: Mapping[str, Any]) -> Difference:
    """Better less worse; of a ratio, the logarithm of worse over better."""
    if claim.relation in RATIOS:
        logs = ([math.log(value) for value in _values(row)] for row in (worse, better))
        return compare_values(*logs)
    one_part, known = better["part"] == worse["part"], None
    if not one_part:
        known = differences(better).get(worse["part"], differences(worse).get(better["part"]))
    if known is not None:
        return replace(known, difference=mean_of(better) - mean_of(worse))
    # Searches of one system share lattices and weights in each run; times share nothing.
    runs = _values(better), _values(worse)
    paired = one_part and not better["machine"] and len(runs[0]) == len(runs[1])
    return compare_values(*runs, paired=paired)


def p_of(
    claim: Claim, effect: Difference, better: Mapping[str, Any], worse: Mapping[str, Any]
) -> tuple[float, float]:
    """The p-values by which a comparison holds, and by which it is opposite."""
    holds, opposite = _p_of(claim, effect, _tolerance(claim, better, worse))
    return min(1.0, holds), min(1.0, opposite)


def _p_of(claim: Claim, effect: Difference, tolerance: float) -> tuple[float, float]:
    """The p-values; two-sided ones are doubled, and may be above 1."""
    upper, lower = effect.p_above, effect.p_below
    match claim.relation:
        case Relation.HIGHER:
            return 2 * upper(0), 2 * lower(0)
        case Relation.LOWER:
            return 2 * lower(0), 2 * upper(0)
        case Relation.EQUAL:
            within = max(upper(-tolerance), lower(tolerance))
            return within, 2 * min(upper(tolerance), lower(-tolerance))
        case Relation.NO_HIGHER:
            return lower(tolerance), 2 * upper(tolerance)
        case Relation.NOT_SIGNIFICANTLY_HIGHER:
            # Single values have no significance.
            higher = 2 * len(claim.better) * upper(0 if effect.deviation else tolerance)
            return lower(tolerance) if higher >= SIGNIFICANT else 1.0, higher
        case Relation.RATIO:
            assert claim.factor is not None
            assert claim.tolerance is not None
            least, most = (math.log(claim.factor * (1 + d * claim.tolerance)) for d in (-1, 1))
            reverse = lower(0) if claim.factor > 1 else upper(0)
            return max(upper(least), lower(most)), 2 * reverse
        case Relation.RATIO_ABOVE:
            assert claim.factor is not None
            return 2 * upper(math.log(claim.factor)), 2 * lower(0)


def zone_of(
    claim: Claim, better: Mapping[str, Any], worse: Mapping[str, Any]
) -> tuple[float, float]:
    """The differences, or ratios, of which the claim is true, from least to most."""
    tolerance = _tolerance(claim, better, worse)
    match claim.relation:
        case Relation.HIGHER:
            return 0.0, math.inf
        case Relation.LOWER:
            return -math.inf, 0.0
        case Relation.EQUAL:
            return -tolerance, tolerance
        case Relation.NO_HIGHER | Relation.NOT_SIGNIFICANTLY_HIGHER:
            return -math.inf, tolerance
    assert claim.factor is not None
    if claim.relation is Relation.RATIO_ABOVE:
        return claim.factor, math.inf
    assert claim.tolerance is not None
    return claim.factor * (1 - claim.tolerance), claim.factor * (1 + claim.tolerance)


def shows_from(claim: Claim, effect: Difference) -> float:
    """The least difference that shows; a true one of this size does in half of all repetitions.

    Of a relation with a tolerance, the least at which it could be shown; none for a ratio.
    """
    if claim.relation in RATIOS:
        return math.nan
    low, high = effect.interval(0.9 if claim.relation in TO_A_TOLERANCE else 0.95)
    return (high - low) / 2


def adjusted_p(values: Sequence[float]) -> list[float]:
    """P-values adjusted for their number, in the same order (Benjamini and Hochberg 1995)."""
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted, least = list(values), 1.0
    for place, index in reversed(list(enumerate(order, 1))):
        least = min(least, values[index] * len(values) / place)
        adjusted[index] = least
    return adjusted


def _values(row: Mapping[str, Any]) -> list[float]:
    """The values of the runs of a row, or its only value."""
    return run_values(row) or [float(row["value"])]


def _tolerance(claim: Claim, better: Mapping[str, Any], worse: Mapping[str, Any]) -> float:
    """The tolerance in our unit; if that is not the paper's, the same share of the value."""
    if claim.tolerance is None:
        return 0.0
    least = 1e-9  # values as printed differ from their decimal fractions in the last bits
    if better["unit"] == claim.metric:
        return claim.tolerance + least
    values = [value for pair in claim.published for value in pair if value is not None]
    return claim.tolerance * abs(mean_of(worse)) / (sum(values) / len(values)) + least
