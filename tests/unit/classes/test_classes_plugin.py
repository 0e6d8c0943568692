"""A method of word classes that a user adds without touching the project (docs/extending.md)."""

import pytest
from plugins import example_plugins

from nlmt.classes import METHODS, read_paths
from nlmt.cli import main


@pytest.fixture(autouse=True)
def plugin():
    with example_plugins(["class_method"], [METHODS]):
        yield


def test_the_command_knows_it(tmp_path, capsys):
    text, out = tmp_path / "text", tmp_path / "classes.tsv"
    text.write_text("going walking runs\nsits talking running far\n")
    command = ["classes", "ending", "--text", str(text), "--out", str(out), "--classes", "2"]
    assert main([*command, "--option", "letters=3"]) == 0
    class_of = read_paths(out).class_of
    assert len({class_of[word] for word in ("going", "walking", "talking", "running")}) == 1
    assert len({class_of[word] for word in ("going", "runs", "sits", "far")}) == 2
    assert "expected products" in capsys.readouterr().out
