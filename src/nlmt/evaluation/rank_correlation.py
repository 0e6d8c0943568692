"""Spearman's rank correlation within groups, with an exact p and an interval within [-1, 1].

Values of different groups do not compare: ranks are those within a group, and the correlation is
that of the ranks less the mean of their group. p is exact: the share of all orders within the
groups that correlate as much. The interval is by Fisher's z of a correlation without the means of
the groups, whose variance for n pairs in k groups is 1 / (n - k - 2) (Fisher 1924), times 1.06 for
ranks (Fieller, Hartley and Pearson 1957).
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from nlmt.evaluation.difference import Difference

_OF_RANKS = 1.06  # variance of Fisher's z over that of values

Pairs = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class RankCorrelation(Difference):
    """A rank correlation, with the tests of a difference from zero.

    Attributes:
        deviation: the standard error of its Fisher transform; infinite for too few pairs.
        above: share of orders with this correlation or a higher one.
        below: with this correlation or a lower one.
    """

    above: float
    below: float

    @property
    def p_value(self) -> float:
        """Exact two-sided p of no correlation."""
        return min(1.0, 2 * min(self.above, self.below))

    def p_above(self, bound: float) -> float:
        """One-sided p of the true correlation being no larger than a bound; exact for 0."""
        return self._transformed.p_above(math.atanh(bound)) if bound else self.above

    def p_below(self, bound: float) -> float:
        """One-sided p of the true correlation being no smaller than a bound; exact for 0."""
        return self._transformed.p_below(math.atanh(bound)) if bound else self.below

    def interval(self, level: float) -> tuple[float, float]:
        """Ends of the interval that covers the true correlation with this probability."""
        low, high = self._transformed.interval(level)
        return math.tanh(low), math.tanh(high)

    @property
    def _transformed(self) -> Difference:
        return Difference(math.atanh(self.difference), self.deviation, math.inf)


def rank_correlation(groups: Sequence[Pairs]) -> RankCorrelation | None:
    """The rank correlation of the pairs in some groups; None where nothing varies within them.

    All orders of a group are tried, which is for groups of up to about ten pairs. A correlation of
    1 has no Fisher transform: it is taken as half a step of ranks below.
    """
    products: Counter[float] = Counter({0.0: 1})
    product, squares = 0.0, [0.0, 0.0]
    for pairs in groups:
        first, second = (_centred_ranks(values) for values in zip(*pairs, strict=True))
        product += _product(first, second)
        for place, ranks in enumerate((first, second)):
            squares[place] += _product(ranks, ranks)
        own = Counter(_product(first, order) for order in permutations(second))
        joined: Counter[float] = Counter()
        for one, times in products.items():
            for other, count in own.items():
                joined[one + other] += times * count
        products = joined
    whole = math.sqrt(squares[0] * squares[1])
    if not whole:
        return None
    freedom = sum(map(len, groups)) - len(groups) - 2
    orders, found = products.total(), product / whole
    return RankCorrelation(
        math.copysign(1 - 0.5 / whole, found) if math.isclose(abs(found), 1) else found,
        math.sqrt(_OF_RANKS / freedom) if freedom > 0 else math.inf,
        math.inf,
        sum(count for value, count in products.items() if value >= product) / orders,
        sum(count for value, count in products.items() if value <= product) / orders,
    )


def _centred_ranks(values: Sequence[float]) -> list[float]:
    """The ranks of values less their mean; equal values share the mean of theirs."""
    counts = [sum((other < one) + (other <= one) for other in values) for one in values]
    return [(count - len(values)) / 2 for count in counts]


def _product(first: Sequence[float], second: Sequence[float]) -> float:
    """The sum of products, exact for ranks."""
    return sum(a * b for a, b in zip(first, second, strict=True))
