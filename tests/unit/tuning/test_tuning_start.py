"""Weights of a former system as the start of another one."""

import pytest

from nlmt.errors import InputError
from nlmt.tuning import carry_over

OWN = {"UnknownWordPenalty0": [1.0], "LM0": [0.25], "NLM0": [0.25], "WordPenalty0": [-1.0]}


def test_new_language_models_share_the_weight_of_the_former_ones():
    found = carry_over({"LM0": [0.1], "WordPenalty0": [-0.3], "Distortion0": [0.4]}, OWN)
    assert found == {**OWN, "LM0": [0.05], "NLM0": [0.05], "WordPenalty0": [-0.3]}
    own = {label: [0.1] for label in ("LM0", "LM1", "NLM0", "NLM1")}
    found = carry_over({"LM0": [0.3], "NLM0": [0.1]}, own)
    assert found == {"LM0": [0.15], "LM1": [0.1], "NLM0": [0.05], "NLM1": [0.1]}


def test_a_model_in_place_of_another_has_its_weight() -> None:
    own = {"NLM0": [1.0], "WordPenalty0": [-1.0]}
    assert carry_over({"LM0": [0.3], "WordPenalty0": [-0.2]}, own)["NLM0"] == [0.3]


def test_other_new_features_have_the_mean_magnitude():
    found = carry_over({"TM0": [0.2, -0.3], "Distortion0": [0.4]}, OWN)
    mean = pytest.approx(0.3)
    assert found == {**OWN, "LM0": [mean], "NLM0": [mean], "WordPenalty0": [pytest.approx(-0.3)]}


def test_nothing_to_start_from():
    assert carry_over({}, OWN) == OWN
    assert carry_over({"LM0": [0.0]}, OWN) == OWN


def test_another_number_of_weights():
    with pytest.raises(InputError, match="LM0 has 1 weights, but 2 in the system"):
        carry_over({"LM0": [0.1, 0.2]}, OWN)
