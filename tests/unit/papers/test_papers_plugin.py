"""A paper that a user adds without touching the project (docs/extending.md)."""

from paper_artefacts import ROOT

EXAMPLE = ROOT / "tests/examples/paper.py"


def test_the_document_shows_the_example() -> None:
    document = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
    assert f"```python\n{EXAMPLE.read_text(encoding='utf-8')}```" in document
