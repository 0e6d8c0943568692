"""Pictures of differences: places on a common scale, computed by hand."""

import pytest

from nlmt.report.intervals import Interval, Scale


def test_intervals_and_others_estimates_share_a_scale() -> None:
    own = [Interval(1, -1, 3, other=2), Interval(2, 1, 3)]
    picture = Scale.of(own).picture(own)
    # -1 and 3 are at 5 and 91 of 96, so one unit is 21.5.
    assert picture.zero == 26.5
    assert picture.ranges == "M5 4H91M48 10H91"
    assert picture.dots == "M48 4h0M69.5 10h0"
    assert picture.ticks == "M69.5 1.5v5"
    assert picture.zone == (26.5, 69.5)  # to the right edge


def test_wide_intervals_are_cut_off() -> None:
    far = [Interval(1, -100, 100, other=2)]
    drawn = Scale.of(far).picture(far)
    assert drawn.ranges == "M0 7H96"
    assert drawn.dots == "M56.6 7h0"  # 1 of -5 to 5, 2.5 times the largest value


def test_a_ratio_is_drawn_on_a_logarithmic_scale() -> None:
    own = [Interval(4, 2, 8, other=16, least=2)]
    picture = Scale.of(own, ratio=True).picture(own)
    assert (picture.zero, picture.dots, picture.ticks) == (5, "M48 7h0", "M91 4.5v5")
    assert picture.zone == (26.5, 69.5)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_single_value_has_a_place(value: float) -> None:
    own = [Interval(value, value, value)]
    assert Scale.of(own).picture(own).height == 14
