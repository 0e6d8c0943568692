"""The pages in a real browser, where there is one: nothing is cut off at any width."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from browser import WIDTHS, look, needs_browser
from paper_artefacts import paper_results

from nlmt.papers.pages import Provenance, read_figures, write_front_page, write_paper_page
from nlmt.papers.plots import write_figure

pytestmark = needs_browser


@pytest.mark.parametrize("key", ["auli2013", "baltescu2015"])
def test_pages_fit_every_window(
    tmp_path: Path,
    make_tables: Callable[..., dict[str, pd.DataFrame]],
    overview: pd.DataFrame,
    key: str,
) -> None:
    results = paper_results(tmp_path, key, make_tables, ("fr-en", "en-cs", "en-de"))
    figures = []
    for name, table in results.paper.tables.items():
        if table.draw is not None:
            figures.append(tmp_path / f"{name}.svg")
            write_figure(table, results.tables[name], figures[-1], tmp_path / f"{name}.png")
    page = tmp_path / "index.html"
    provenance = Provenance(figures=read_figures(figures), configuration={"key": "long " * 100})
    write_paper_page(page, results, provenance)
    for width in WIDTHS:
        assert look(page, width, tmp_path) == f"{width} wide: "
    write_front_page(page, [results], overview)
    assert look(page, WIDTHS[0], tmp_path) == f"{WIDTHS[0]} wide: "


def test_what_is_too_wide_is_found(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text('<html><body><p style="width: 2000px">wide</p></body></html>')
    assert "style=" in look(page, 360, tmp_path)


def test_what_is_not_a_file_is_found(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text('<html><body><img alt="" src="https://nlmt.invalid/x.png"></body></html>')
    assert look(page, 360, tmp_path) == "360 wide: https://nlmt.invalid/x.png"
