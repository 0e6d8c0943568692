"""The table of docs/scale.md is that of the points."""

from pathlib import Path

from nlmt.needs.page import with_table

PAGE = Path(__file__).parents[3] / "docs/scale.md"


def test_the_table_is_current() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert "| `align_words` | 0.12 / 0.46 / 1." in page
    assert with_table(page) == page
