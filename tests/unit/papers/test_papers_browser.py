"""The pages in a real browser, where there is one: nothing is cut off, all can be read."""

from pathlib import Path

import pandas as pd
import pytest
from browser import WIDTHS, Browser, assert_readable, needs_browser
from matplotlib.figure import Figure
from paper_artefacts import MARKUP, MakeTables, paper_results, sentence_changes

from nlmt.papers.pages import Provenance, write_front_page, write_paper_page
from nlmt.report.svg import as_svg

pytestmark = needs_browser
PAIRS = ("fr-en", "en-cs", "en-de")


@pytest.mark.parametrize("key", ["auli2013", "baltescu2015"])
def test_pages_can_be_read_on_every_screen_and_on_paper(
    tmp_path: Path, browser: Browser, tables_of: MakeTables, overview: pd.DataFrame, key: str
) -> None:
    results = paper_results(tmp_path, key, tables_of, PAIRS)
    figures = {}
    for name, table in results.paper.tables.items():
        if table.draw is not None:
            figure = Figure(layout="constrained")
            table.draw(results.tables[name], figure)
            figures[name] = as_svg(figure, name, table.title)
    page, changes = tmp_path / "index.html", sentence_changes()
    provenance = Provenance(
        figures=figures,
        configuration={"key": "long " * 100},
        changes={pair: [changes] for pair in PAIRS},
    )
    write_paper_page(page, results, provenance)
    assert_readable(browser, page)
    assert browser.look(WIDTHS[0]).inked > 100
    assert MARKUP in browser.look(WIDTHS[0]).text
    write_front_page(page, [results], overview)
    assert_readable(browser, page)


@pytest.mark.parametrize("wide", ["width: 2000px", "white-space: nowrap"])
def test_what_is_too_wide_is_found(tmp_path: Path, browser: Browser, wide: str) -> None:
    page = tmp_path / "index.html"
    page.write_text(f'<details><p id="wide" style="{wide}">{"wide " * 100}</p></details>')
    browser.open(page)
    assert any('id="wide"' in element for element in browser.look(360).wide)
    page.write_text(f'<div style="overflow: auto"><p style="{wide}">{"wide " * 100}</p></div>')
    browser.open(page)
    assert browser.look(360).wide == []
    assert browser.look(360, media="print").wide != []


@pytest.mark.parametrize(
    ("style", "found"),
    [
        ("color: #767676", []),  # 4.54 on white
        ("color: #777777", ["4.48"]),
        ("color: rgba(0, 0, 0, 0.5)", ["3.98"]),  # 1.05 / (0.2140 + 0.05)
        ("color: white", ["1.00"]),
        ("color: white; background: black", []),
    ],
)
def test_what_is_faint_is_found(
    tmp_path: Path, browser: Browser, style: str, found: list[str]
) -> None:
    page = tmp_path / "index.html"
    page.write_text(f'<body style="background: white"><p style="{style}">faint</p></body>')
    browser.open(page)
    assert [text.split()[0] for text in browser.look(360).faint] == found


def test_what_is_not_a_file_is_found(tmp_path: Path, browser: Browser) -> None:
    page = tmp_path / "index.html"
    page.write_text('<html><body><img alt="" src="https://nlmt.invalid/x.png"></body></html>')
    browser.open(page)
    assert browser.look(360).foreign == ["https://nlmt.invalid/x.png"]
