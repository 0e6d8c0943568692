"""Configuration keys of lattice rescoring."""

import pytest

from nlmt.errors import InputError
from nlmt.rescoring import LatticeSettings
from nlmt.settings_check import read_settings


def test_states_of_lattices() -> None:
    assert read_settings(LatticeSettings, {"states": 10}).states == 10
    assert read_settings(LatticeSettings, {"states": None}).states is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"states": 0}, "lattice.states: 0 must be at least 1"),
        ({}, "lattice.states: this key is missing"),
    ],
)
def test_what_is_refused(values: dict[str, int], message: str) -> None:
    with pytest.raises(InputError) as error:
        read_settings(LatticeSettings, values, "lattice")
    assert message in str(error.value)
