"""Curves through points, by hand."""

import pytest

from nlmt.needs import Curve, fit


def test_a_line_through_points_on_a_line() -> None:
    curve = fit([(1.0, 12.0), (4.0, 18.0), (16.0, 42.0)])
    assert (curve.fixed, curve.slope, curve.power) == pytest.approx((10.0, 2.0, 1.0))
    assert curve.at(100) == pytest.approx(210)


def test_values_of_one_size_have_their_mean() -> None:
    assert fit([(3.0, 1.0), (3.0, 2.0)]) == Curve(pytest.approx(1.5), 0.0)


def test_errors_are_relative_to_the_curve() -> None:
    """Through zero, a slope s has the errors y / (s x) - 1: 1 and 2 a size have the mean 1.5."""
    through_zero = fit([(1.0, 1.0), (2.0, 4.0)])  # a line through both has -2
    assert through_zero.fixed == pytest.approx(0, abs=1e-5)
    assert through_zero.slope == pytest.approx((1 + 2) / 2)


def test_no_slope_is_negative() -> None:
    assert fit([(1.0, 4.0), (2.0, 2.0)]) == Curve(pytest.approx(3.0), 0.0)


def test_another_power_where_it_is_much_closer() -> None:
    roots = [(1.0, 1.0), (16.0, 4.0), (256.0, 16.0)]
    assert fit(roots, (1.0, 0.5)) == Curve(pytest.approx(0, abs=1e-5), pytest.approx(1.0), 0.5)
    nearly_a_line = [(1.0, 10.0), (2.0, 20.0), (3.0, 31.0)]
    assert fit(nearly_a_line, (1.0, 0.5)).power == 1.0


def test_a_raised_curve_has_no_point_above_it() -> None:
    points = [(1.0, 10.0), (2.0, 30.0), (4.0, 30.0)]
    raised = fit(points).raised(points)
    assert all(y <= raised.at(x) * 1.000001 for x, y in points)
    assert any(y == pytest.approx(raised.at(x)) for x, y in points)
