"""The evidence of our numbers on one comparison of a claim: a difference and its p-values."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, NamedTuple

from nlmt.errors import InputError
from nlmt.evaluation.difference import Difference, compare_values
from nlmt.evaluation.rank_correlation import RankCorrelation
from nlmt.papers.claims import Claim, Relation
from nlmt.papers.results import NOTHING, differences, run_values, system_of

# Units of what is measured on sentences, whose choice is a part of the variance.
OF_SENTENCES = frozenset({"BLEU", "TER", "(TER-BLEU)/2", "perplexity", "cosine similarity"})
_EXACT = frozenset({"MB"})  # units of sizes, which no repetition would change


class PValues(NamedTuple):
    """The p-values of a comparison.

    Attributes:
        holds: of the test that the claim holds.
        opposite: of the test that the difference is on the other side.
        outside: of the test that the claim is false, on either side.
    """

    holds: float
    opposite: float
    outside: float


def mean_of(row: Mapping[str, Any]) -> float:
    """The mean of the runs of a row, or its only value."""
    return fmean(_values(row))


def effect_of(
    claim: Claim, better: Mapping[str, Any], worse: Mapping[str, Any]
) -> Difference | None:
    """Better less worse; of a ratio, the logarithm of worse over better; None without a variance.

    Different systems and models are compared over sentences and runs, all else over runs. Nothing
    is known of a ratio with a value of zero, which has no logarithm.
    """
    varied = all(
        len(_values(row)) > 1 or row["unit"] in _EXACT for row in (better, worse) if "pair" in row
    )  # a number is of no pair
    if claim.is_ratio:
        if not varied:
            return None
        if min(*_values(worse), *_values(better)) <= 0:
            return Difference(0.0, math.inf, 1)
        logs = ([math.log(value) for value in _values(row)] for row in (worse, better))
        return compare_values(*logs)
    known = compared(better, worse)
    if known is not None:
        return replace(known, difference=mean_of(better) - mean_of(worse))
    if not varied or better["unit"] in OF_SENTENCES:
        return None
    # Two measurements of one system share its models in each run; times share nothing.
    runs = _values(better), _values(worse)
    paired = is_one_system(better, worse) and not better["machine"] and len(runs[0]) == len(runs[1])
    return compare_values(*runs, paired=paired)


def mean_effect(
    claim: Claim, sides: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
) -> Difference | None:
    """The mean of the effects of several comparisons; None where one has no variance.

    Its standard error is the mean of theirs, as if all varied together: it cannot be larger.
    """
    effects = [effect_of(claim, better, worse) for better, worse in sides]
    known = [effect for effect in effects if effect is not None]
    if len(known) < len(effects):
        return None
    if len(known) == 1:
        return known[0]
    return Difference(
        fmean(one.difference for one in known),
        fmean(one.deviation for one in known),
        min(one.freedom for one in known),
    )


def is_of_one_run(effect: Difference, better: Mapping[str, Any], worse: Mapping[str, Any]) -> bool:
    """Whether an effect has the variance of the sentences alone, as neither side has runs.

    One side may be a model without a seed, which all runs share.
    """
    if isinstance(effect, RankCorrelation) or better["unit"] in _EXACT:
        return False
    return all(len(_values(row)) == 1 for row in (better, worse) if "pair" in row)


def is_one_system(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two rows are of the same system or model."""
    return system_of(one["part"]) == system_of(other["part"]) != ""


def sum_of(difference: float, parts: Sequence[Difference]) -> Difference:
    """A difference with the variance of a sum of independent ones (Welch and Satterthwaite)."""
    variances = [part.deviation**2 for part in parts]
    spread = sum(v**2 / part.freedom for v, part in zip(variances, parts, strict=True))
    total = sum(variances)
    return Difference(difference, math.sqrt(total), total**2 / spread if spread else math.inf)


def compared(better: Mapping[str, Any], worse: Mapping[str, Any]) -> Difference | None:
    """The comparison of two rows over sentences, in either direction, or by way of a third system.

    A gain is compared with the number 0.

    What both share with the third counts twice, so that the last has too large a variance.
    """
    one, other = differences(better), differences(worse)
    direct = one.get(worse["part"], other.get(better["part"]))
    if worse["part"] == NOTHING and direct is None:  # a gain has the comparison that it is of
        return one.get(better["against"])
    if direct is not None or is_one_system(better, worse):
        return direct
    found = [sum_of(0.0, (one[third], other[third])) for third in one if third in other]
    return min(found, key=lambda sum_: sum_.deviation, default=None)


def zone_of(
    claim: Claim, better: Mapping[str, Any], worse: Mapping[str, Any]
) -> tuple[float, float]:
    """The differences in our unit, or ratios, for which the claim is true, from least to most.

    Where our unit is not the paper's, the margin of a difference is the same share of the value.

    Raises:
        InputError: the paper has no value, or zero alone, to convert a margin by.
    """
    if claim.is_ratio or not claim.margin or better["unit"] == claim.metric:
        return claim.zone(claim.margin)
    values = [abs(value) for pair in claim.published for value in pair if value is not None]
    if not any(values):
        raise InputError(
            f"claim {claim.name}: its tolerance or least difference is in {claim.metric}, our "
            f"values are in {better['unit']}, and the paper has no value to convert it by"
        )
    return claim.zone(claim.margin * abs(mean_of(worse)) / fmean(values))


def p_of(claim: Claim, effect: Difference, zone: tuple[float, float], together: int) -> PValues:
    """The p-values by which a comparison holds, is opposite, or has another size.

    It holds by the tests against the ends of the zone: two-sided, or where a tolerance sets them
    one-sided, and of two ends (equality) by the larger p. It is opposite where the interval (of
    95 % at the level 0.05) is outside of the zone; but

    - a difference with a least size, where its interval is below zero; of one that was observed,
      the estimate has this size where it holds, by the test against zero;
    - a ratio, whose logarithm is tested, where its interval is below 1 and the factor above; a
      factor of up to 1 is a share of another value, as an overhead, which has no opposite;
    - what is not significantly higher by the two-sided test of a higher value, its p times the
      number of comparisons that are judged `together` (Bonferroni), and it holds only where it is
      not opposite.
    """
    least, most = map(math.log, zone) if claim.is_ratio else zone
    ends = [(effect.p_above, effect.p_below, least), (effect.p_below, effect.p_above, most)]
    known = [end for end in ends if math.isfinite(end[-1])]
    holds = max(inside(bound) for inside, _, bound in known)
    outside = opposite = 2 * min(outside(bound) for _, outside, bound in known)
    if claim.tolerance is None:
        holds *= 2  # two-sided
    if claim.observed:
        holds = 2 * effect.p_above(0) if effect.difference > least else 1.0
    if claim.names_size:
        is_share = claim.factor is not None and claim.factor <= 1
        opposite = 1.0 if is_share else 2 * effect.p_below(0)
    elif claim.relation is Relation.NOT_SIGNIFICANTLY_HIGHER:
        opposite = 2 * together * effect.p_above(0)
        holds = holds if opposite >= claim.level else 1.0
    return PValues(*(min(1.0, p) for p in (holds, opposite, outside)))


def shows_from(claim: Claim, effect: Difference, zone: tuple[float, float]) -> float:
    """The least difference that shows; a true one of this size does in half of all repetitions.

    Of a relation with a tolerance, the least at which it could be shown; none for a ratio.
    """
    if claim.is_ratio:
        return math.nan
    sides = 1 if claim.tolerance is None else 2
    low, high = effect.interval(1 - sides * claim.level)
    least, half = max(0.0, zone[0]), (high - low) / 2
    return max(least, half) if claim.observed else least + half


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
