"""The evidence of our numbers on one comparison of a claim: a difference and its p-values."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from nlmt.evaluation.difference import SIGNIFICANT, Difference, compare_values
from nlmt.papers.claims import Claim, Relation
from nlmt.papers.results import differences, run_values


def mean_of(row: Mapping[str, Any]) -> float:
    """The mean of the runs of a row, also of times, whose value is the least."""
    runs = run_values(row)
    return fmean(runs) if runs else float(row["value"])


def effect_of(claim: Claim, better: Mapping[str, Any], worse: Mapping[str, Any]) -> Difference:
    """Better less worse; of a ratio, the logarithm of worse over better."""
    if claim.is_ratio:
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


def zone_of(
    claim: Claim, better: Mapping[str, Any], worse: Mapping[str, Any]
) -> tuple[float, float]:
    """The differences in our unit, or ratios, for which the claim is true, from least to most.

    Where our unit is not the paper's, the tolerance is the same share of the value.
    """
    tolerance = claim.tolerance or 0.0
    if tolerance and better["unit"] != claim.metric:
        values = [value for pair in claim.published for value in pair if value is not None]
        tolerance = tolerance * abs(mean_of(worse)) / (sum(values) / len(values))
    return claim.zone(tolerance)


def p_of(claim: Claim, effect: Difference, zone: tuple[float, float]) -> tuple[float, float]:
    """The p-values by which a comparison holds, and by which it is opposite.

    It holds by the tests against the ends of the zone: two-sided, or where a tolerance sets them
    one-sided, and of two ends (equality) by the larger p. It is opposite where the 95 % interval is
    outside of the zone; but

    - a ratio, whose logarithm is tested, where its 95 % interval and the factor are on two sides of
      1;
    - what is not significantly higher by the two-sided test of a higher value, its p times the
      number of the claim's comparisons (Bonferroni), and it holds only where it is not opposite.
    """
    least, most = map(math.log, zone) if claim.is_ratio else zone
    ends = [(effect.p_above, effect.p_below, least), (effect.p_below, effect.p_above, most)]
    known = [end for end in ends if math.isfinite(end[-1])]
    holds = max(inside(bound) for inside, _, bound in known)
    opposite = 2 * min(outside(bound) for _, outside, bound in known)
    if claim.tolerance is None:
        holds *= 2  # two-sided
    if claim.factor is not None:
        upwards = claim.relation is Relation.RATIO_ABOVE or claim.factor > 1
        opposite = 2 * (effect.p_below(0) if upwards else effect.p_above(0))
    elif claim.relation is Relation.NOT_SIGNIFICANTLY_HIGHER:
        # Single values have no significance.
        opposite = 2 * len(claim.better) * effect.p_above(0 if effect.deviation else most)
        holds = holds if opposite >= SIGNIFICANT else 1.0
    return min(1.0, holds), min(1.0, opposite)


def shows_from(claim: Claim, effect: Difference) -> float:
    """The least difference that shows; a true one of this size does in half of all repetitions.

    Of a relation with a tolerance, the least at which it could be shown; none for a ratio.
    """
    if claim.is_ratio:
        return math.nan
    low, high = effect.interval(0.95 if claim.tolerance is None else 0.9)
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
