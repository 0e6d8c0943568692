"""Curves through points, by hand."""

import pytest

from nlmt.needs import Curve, fit


def test_a_line_through_points_on_a_line() -> None:
    curve = fit([(1.0, 12.0), (4.0, 18.0), (16.0, 42.0)])
    assert (curve.fixed, curve.slope, curve.power) == pytest.approx((10.0, 2.0, 1.0))
    assert curve.at(100) == pytest.approx(210)


def test_errors_are_relative() -> None:
    """Two values at one size: a / y - 1 of 1 and 2 has its least squares at 6 / 5."""
    curve = fit([(3.0, 1.0), (3.0, 2.0)])
    assert curve == Curve(pytest.approx(6 / 5), 0.0)


def test_no_part_is_negative() -> None:
    assert fit([(1.0, 4.0), (2.0, 2.0)]).slope == 0
    through_zero = fit([(1.0, 1.0), (2.0, 4.0)])  # a line through both has -2
    assert through_zero.fixed == 0
    assert through_zero.slope == pytest.approx((1 / 1 + 8 / 16) / (1 / 1 + 4 / 16))


def test_another_power_where_it_is_much_closer() -> None:
    roots = [(1.0, 1.0), (16.0, 4.0), (256.0, 16.0)]
    assert fit(roots, (1.0, 0.5)) == Curve(0.0, pytest.approx(1.0), 0.5)
    nearly_a_line = [(1.0, 10.0), (2.0, 20.0), (3.0, 31.0)]
    assert fit(nearly_a_line, (1.0, 0.5)).power == 1.0


def test_a_raised_curve_has_no_point_above_it() -> None:
    points = [(1.0, 10.0), (2.0, 30.0), (4.0, 30.0)]
    raised = fit(points).raised(points)
    assert all(y <= raised.at(x) * 1.000001 for x, y in points)
    assert any(y == pytest.approx(raised.at(x)) for x, y in points)
