"""Some of the random models of `neural_matrix`: every network and every source is among them."""

from neural_matrix import draw, run_cases

from nlmt.neural.parts import NETWORKS, OUTPUTS
from nlmt.neural.settings.architecture import SOURCES

SEED = 3
# Quick ones: most of those that torch trains take seconds.
CASES = (1, 3, 5, 6, 8, 10, 11, 15, 16, 17, 19, 23, 25, 27, 35, 106)


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
