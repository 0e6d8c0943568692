"""The site that `make docs` has built, in a browser: nothing is cut off, nothing is loaded."""

import re
from pathlib import Path

import pytest
from browser import WIDTHS, Browser, needs_browser

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build/site"
# A page of each kind: text, wide tables, generated reference, library, notebooks, pictures.
PAGES = (
    *("index", "tutorial", "architecture", "configuration", "commands", "neural-results"),
    "paper-results",
    *("library/decoder", "notebooks/results", "notebooks/model", "project/overview"),
)
pytestmark = pytest.mark.skipif(not SITE.exists(), reason="no site: make docs")


@needs_browser
@pytest.mark.parametrize("page", PAGES)
def test_pages_fit_every_window_and_load_files_only(page: str, browser: Browser) -> None:
    browser.open(SITE / f"{page}.html")
    for width in WIDTHS:
        sight = browser.look(width)
        assert (sight.scroll_width, sight.wide, sight.foreign) == (width, [], [])


def test_no_page_names_a_script_or_style_elsewhere() -> None:
    loaded = re.compile(
        r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=[\"']?(https?://[^\"' >]*)"
    )
    for page in sorted(SITE.rglob("*.html")):
        assert not loaded.findall(page.read_text(encoding="utf-8")), page


@pytest.mark.skipif(
    not (ROOT / "build/notebooks").exists(), reason="the demo has not been run: make demo docs"
)
@pytest.mark.parametrize("page", ["results", "model"])
def test_notebooks_have_their_output(page: str) -> None:
    text = (SITE / f"notebooks/{page}.html").read_text(encoding="utf-8")
    assert 'class="shown"' in text
    assert ("data:image/png" in text) == (page == "results")
