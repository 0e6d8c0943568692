"""Some of the random models of `neural_matrix`: every network and every source is among them."""

from neural_matrix import draw, run_cases

from nlmt.neural.parts import NETWORKS, OUTPUTS
from nlmt.neural.settings.architecture import SOURCES

SEED = 3
# Quick ones: most of those that torch trains take seconds.
CASES = (73, 82, 85, 87, 95, 106, 110, 120, 122, 123, 124, 130, 131, 135, 136, 138)


def test_models_put_together_at_random():
    drawn = [draw(SEED, number) for number in CASES]
    for key, values in (
        ("network", NETWORKS.names()),
        ("source", SOURCES),
        ("output", OUTPUTS.names()),
    ):
        assert {settings.get(key, "class-factored") for settings in drawn} >= set(values) - {"full"}
    ends, broken = run_cases(CASES, SEED)
    assert not broken, broken[0]
    assert ends == {"trained": len(CASES)}
