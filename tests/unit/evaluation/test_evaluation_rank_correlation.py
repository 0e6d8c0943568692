"""Rank correlations within groups, held against values computed by hand."""

import math

import pytest

from nlmt.evaluation.rank_correlation import rank_correlation

FOUR = [(1.0, 9.0), (2.0, 8.0), (3.0, 6.0), (4.0, 7.0)]  # ranks 4 3 1 2


def test_one_group_is_spearman_with_the_exact_p() -> None:
    found = rank_correlation([FOUR])
    assert found is not None
    # 1 - 6 * (9 + 1 + 4 + 4) / (4 * 15); of 24 orders one is lower, and three are as low.
    assert found.difference == pytest.approx(-0.8)
    assert found.below == pytest.approx(4 / 24)
    assert found.above == pytest.approx(23 / 24)
    assert found.p_value == pytest.approx(8 / 24)
    assert found.p_below(0) == found.below
    assert found.p_above(0) == found.above
    # One degree of freedom: tanh(atanh(-0.8) -+ 1.95996 * sqrt(1.06)).
    middle, half = math.atanh(-0.8), 1.959964 * math.sqrt(1.06)
    assert found.interval(0.95) == pytest.approx(
        (math.tanh(middle - half), math.tanh(middle + half))
    )
    assert -1 < found.low < -0.8 < found.high < 1


def test_groups_are_ranked_by_themselves() -> None:
    """Three pairs of another level: their ranks fall, too."""
    three = [(10.0, 90.0), (20.0, 70.0), (30.0, 80.0)]
    found = rank_correlation([FOUR, three])
    assert found is not None
    # Products -4 and -1, squares 5 and 2.
    assert found.difference == pytest.approx(-5 / 7)
    # Products of four are -5 in one of 24 orders, -4 in three and -3 in one; those of three -2 in
    # one of 6, -1 in two, 1 in two and 2 in one. Sums of at most -5: -5 with at most 0, -4 with at
    # most -1, -3 with -2.
    assert found.below == pytest.approx((1 * 3 + 3 * 3 + 1 * 1) / 144)
    assert found.deviation == pytest.approx(math.sqrt(1.06 / 3))


def test_equal_values_share_a_rank() -> None:
    found = rank_correlation([[(1.0, 1.0), (1.0, 2.0), (2.0, 3.0)]])
    assert found is not None
    # Ranks 1.5 1.5 3 and 1 2 3, less 2: product 1.5, squares 1.5 and 2.
    assert found.difference == pytest.approx(1.5 / math.sqrt(3))
    assert found.above == pytest.approx(2 / 6)
    assert found.interval(0.95) == (-1, 1)  # too few


def test_a_full_correlation_stays_half_a_step_below_one() -> None:
    found = rank_correlation([[(float(n), float(n)) for n in range(6)]])
    assert found is not None
    assert found.difference == pytest.approx(1 - 0.5 / 17.5)
    assert found.above == pytest.approx(1 / 720)
    assert 0 < found.low < found.high < 1
    assert found.p_above(0.5) == pytest.approx(
        0.5 * math.erfc((math.atanh(found.difference) - math.atanh(0.5)) / math.sqrt(2 * 1.06 / 3))
    )
    assert found.p_below(0.5) == pytest.approx(1 - found.p_above(0.5))


def test_nothing_that_varies_has_no_correlation() -> None:
    assert rank_correlation([[(1.0, 5.0), (2.0, 5.0)]]) is None
    assert rank_correlation([]) is None
