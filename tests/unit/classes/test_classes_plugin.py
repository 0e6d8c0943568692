"""A method of word classes that a user adds without touching the project (docs/extending.md)."""

import sys
from pathlib import Path

import pytest

from nlmt import registry
from nlmt.classes import METHODS, read_paths
from nlmt.cli import main

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "tests/examples/class_method.py"


@pytest.fixture(autouse=True)
def plugin(monkeypatch):
    # What the plugin registers must not outlive the test.
    monkeypatch.setattr(METHODS, "_parts", dict(METHODS._parts))
    monkeypatch.setenv(registry.PLUGINS, str(EXAMPLE))
    registry._load.cache_clear()
    yield
    registry._load.cache_clear()
    for name in [name for name in sys.modules if name.startswith("nlmt_plugin_")]:
        del sys.modules[name]


def test_the_document_shows_the_example():
    document = (ROOT / "docs/extending.md").read_text()
    assert f"```python\n{EXAMPLE.read_text()}```" in document


def test_the_command_knows_it(tmp_path, capsys):
    text, out = tmp_path / "text", tmp_path / "classes.tsv"
    text.write_text("going walking runs\nsits talking running far\n")
    command = ["classes", "ending", "--text", str(text), "--out", str(out), "--classes", "2"]
    assert main([*command, "--option", "letters=3"]) == 0
    class_of = read_paths(out).class_of
    assert len({class_of[word] for word in ("going", "walking", "talking", "running")}) == 1
    assert len({class_of[word] for word in ("going", "runs", "sits", "far")}) == 2
    assert "expected products" in capsys.readouterr().out
