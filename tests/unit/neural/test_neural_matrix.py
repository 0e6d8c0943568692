"""Some of the random models of `neural_matrix`: every network and every source is among them."""

from pathlib import Path

import pytest
from matrix_world import World
from neural_matrix import check, draw

from nlmt.neural.parts import NETWORKS, OUTPUTS
from nlmt.neural.settings.architecture import SOURCES

SEED = 3
# Quick ones: most of those that torch trains take seconds.
CASES = (1, 3, 5, 8, 10, 11, 16, 17, 19, 23, 25, 27, 35, 106)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


def test_every_part_is_among_the_cases() -> None:
    drawn = [draw(SEED, number) for number in CASES]
    parts = {"network": NETWORKS.names(), "source": SOURCES, "output": OUTPUTS.names()}
    for key, values in parts.items():
        assert {settings.get(key, "class-factored") for settings in drawn} >= set(values) - {"full"}


@pytest.mark.parametrize("number", CASES)
def test_a_model_put_together_at_random(number: int, world: World, tmp_path: Path) -> None:
    assert check(draw(SEED, number), world, tmp_path) == "trained"
