"""The pages in a real browser, where there is one: nothing is cut off at any width."""

import html
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from paper_artefacts import paper_results

from nlmt.papers.pages import Provenance, read_figures, write_front_page, write_paper_page
from nlmt.papers.plots import write_figure

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next((path for name in BROWSERS if (path := shutil.which(name))), None)
WIDTHS = (360, 768, 1280)  # pixels: a phone, a tablet, a desk
# The page in a frame of that width; windows of a browser may not be so narrow. What reaches beyond
# the frame must be inside of something that scrolls.
FRAME = """<!doctype html><title>none</title>
<iframe width="{width}" height="900" style="border: 0" srcdoc="{page}"></iframe>
<script>
addEventListener("load", () => {{
  const frame = document.querySelector("iframe"), page = frame.contentDocument;
  const wide = [...page.body.querySelectorAll("*")].filter(e => !e.closest(".scroll") &&
    e.getBoundingClientRect().right > frame.contentWindow.innerWidth + 1);
  const width = page.documentElement.scrollWidth;
  document.title = `${{width}} wide: ${{wide.map(e => e.outerHTML.slice(0, 60)).join(" ")}}`;
}});
</script>
"""
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no browser on this machine")


def look(page: Path, width: int) -> str:
    """How wide the page is in a frame, and the elements that reach beyond it."""
    assert BROWSER is not None
    probe = page.with_name(f"probe{width}.html")
    content = html.escape(page.read_text(encoding="utf-8"))
    probe.write_text(FRAME.format(width=width, page=content), encoding="utf-8")
    command = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += ["--virtual-time-budget=3000", "--dump-dom", f"file://{probe}"]
    dumped = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r"<title>(.*?)</title>", dumped.stdout, re.DOTALL)
    assert found is not None
    return found[1]


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
        assert look(page, width) == f"{width} wide: "
    write_front_page(page, [results], overview)
    assert look(page, WIDTHS[0]) == f"{WIDTHS[0]} wide: "


def test_what_is_too_wide_is_found(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text('<html><body><p style="width: 2000px">wide</p></body></html>')
    assert "style=" in look(page, 360)
