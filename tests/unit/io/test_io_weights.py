"""weights.json: what is written comes back; what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.io.nbest import flatten_weights
from nlmt.io.weights import group_by_label, name_weights, read_weights, write_weights


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "weights.json:1: not JSON"),
        ("[]", "not a JSON object"),
        ('{"weights": [1]}', 'no "weights"'),
        ('{"weights": {"LM0": 0.5}}', "LM0: not a list of numbers"),
        ('{"weights": {"LM0": [true]}}', "LM0: not a list of numbers"),
        ('{"weights": {"LM0": [NaN]}}', "LM0: not a list of numbers"),
        (f'{{"weights": {{"LM0": [1{"0" * 400}]}}}}', "LM0: not a list of numbers"),
    ],
)
def test_broken_weight_files(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "weights.json"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_weights(path)


def test_weight_files(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text('{"weights": {"LM0": [0.5], "D": [1, -2]}, "bleu": 0.5}')
    assert read_weights(path) == {"LM0": [0.5], "D": [1, -2]}
    with pytest.raises(InputError, match="no such file"):
        read_weights(tmp_path / "none")


def test_weights_come_back_to_the_last_bit(tmp_path):
    names = [("LM0", 1), ("TM0", 2)]
    flat = np.array([1 / 3, -0.1, 2e-17])
    path = tmp_path / "weights.json"
    write_weights(path, name_weights(names, flat), bleu=12.5, seed=3)
    assert np.array_equal(flatten_weights(names, read_weights(path)), flat)
    assert json.loads(path.read_text())["seed"] == 3
    write_weights(path, {"D": (1, -2)}, bleu=None)
    expected = """{
  "weights": {
    "D": [
      1,
      -2
    ]
  },
  "bleu": null
}
"""
    assert path.read_text() == expected


def test_names_are_grouped_by_their_label() -> None:
    groups = [("LR0", ["LR0_0", "LR0_1"]), ("D0", ["D0_0"]), ("x", ["x"]), ("_1", ["_1"])]
    assert group_by_label(["LR0_0", "LR0_1", "D0_0", "x", "_1"]) == groups
