"""`nlmt tune` on lists that are not as they should be: survived, or one message that says where."""

import gzip
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
        (tmp_path / "list").write_bytes(text if isinstance(text, bytes) else text.encode())
        command = ["tune", "--nbest", "list", "--reference", *reference, "--out", "out.json"]
        return main([*command, *arguments])

    return run


@pytest.mark.parametrize("method", names_for(ListTuner))
@pytest.mark.parametrize("weights", [[], ["--weights", "w.json"]])
def test_odd_lists_are_survived(tune, tmp_path, method, weights):
    assert tune(LIST, "--method", method, *weights) == 0
    assert list(json.loads((tmp_path / "out.json").read_text())["weights"]) == ["LM0", "TM0"]


@pytest.mark.parametrize(
    ("text", "rest", "message"),
    [
        (LIST.replace("LM0= -2 TM0= -1", "LM0= nan TM0= -1"), {}, "list:2: 'nan' is not a finite"),
        (LIST.replace("LM0= -2 TM0= -5", "XX0= -2 TM0= -5"), {}, "list:5: the features differ"),
        (LIST + LIST, {}, "list:6: sentence 0 after sentence 3"),
        (gzip.compress(LIST.encode(), mtime=0)[:-9], {}, "list:6: damaged or truncated gzip file"),
        (LIST, {"reference": ("ref", "short")}, "short: 3 lines, but ref has 4"),
        (
            LIST,
            {"reference": ("short",)},
            "list:4: the n-best list has a sentence 3, but",
        ),
    ],
)
def test_a_bad_list_is_one_message(tune, tmp_path, capsys, text, rest, message):
    assert tune(text, **rest) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not (tmp_path / "out.json").exists()
