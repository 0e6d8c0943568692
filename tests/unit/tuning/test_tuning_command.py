"""`nlmt tune` on lists that are not as they should be: survived, or one message."""

import json

import pytest

from nlmt.cli import main
from nlmt.tuning import ListTuner
from nlmt.tuning.tuners import names_for

# An empty sentence, lists of one, a sentence that is missing.
LIST = """\
0 ||| a b c d e  ||| LM0= -1 TM0= -2 ||| 0
0 ||| a b c d x  ||| LM0= -2 TM0= -1 ||| 0
1 |||   ||| LM0= 0 TM0= 0 ||| 0
3 ||| a a a a a  ||| LM0= -1 TM0= -1 ||| 0
3 ||| b b b b b  ||| LM0= -2 TM0= -5 ||| 0
"""


@pytest.fixture
def tune(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ref").write_text("a b c d e\n\nx\nb b b b b\n")
    (tmp_path / "short").write_text("a b c d e\n\nx\n")
    (tmp_path / "w.json").write_text('{"weights": {"LM0": [0.5], "TM0": [0.5]}}')

    def run(text, *arguments, reference=("ref",)):
        (tmp_path / "list").write_text(text)
        command = ["tune", "--nbest", "list", "--reference", *reference, "--out", "out.json"]
        return main([*command, *arguments])

    return run


@pytest.mark.parametrize("method", names_for(ListTuner))
@pytest.mark.parametrize("weights", [[], ["--weights", "w.json"]])
def test_odd_lists_are_survived(tune, tmp_path, method, weights):
    assert tune(LIST, "--method", method, *weights) == 0
    assert list(json.loads((tmp_path / "out.json").read_text())["weights"]) == ["LM0", "TM0"]


def test_references_of_different_length_are_one_message(tune, tmp_path, capsys):
    """Faults of the list itself: test_rescoring_robustness.py, for all commands."""
    assert tune(LIST, reference=("ref", "short")) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "short: 3 lines, but ref has 4" in line
    assert not (tmp_path / "out.json").exists()
