"""Pages in a real browser, where there is one: what is cut off, and what they load."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next((path for name in BROWSERS if (path := shutil.which(name))), None)
WIDTHS = (360, 768, 1280)  # pixels: a phone, a tablet, a desk
needs_browser = pytest.mark.skipif(BROWSER is None, reason="there is no browser on this machine")
# The page in a frame of that width; windows of a browser may not be so narrow. What reaches beyond
# the frame must be inside of something that scrolls, or hidden. What is loaded must be a file.
FRAME = """<!doctype html><title>none</title>
<iframe width="{width}" height="900" style="border: 0" src="{page}"></iframe>
<script>
addEventListener("load", () => {{
  const frame = document.querySelector("iframe"), page = frame.contentDocument;
  const view = frame.contentWindow, limit = view.innerWidth + 1;
  const scrolls = e => e !== page.body && e !== page.documentElement &&
    view.getComputedStyle(e).overflowX !== "visible" && e.getBoundingClientRect().right <= limit;
  const held = e => {{ for (let p = e; p; p = p.parentElement) if (scrolls(p)) return true; }};
  const wide = [...page.body.querySelectorAll("*")].filter(e =>
    e.getBoundingClientRect().left < limit && e.getBoundingClientRect().right > limit && !held(e));
  const loaded = view.performance.getEntriesByType("resource").map(e => e.name);
  const foreign = loaded.filter(name => !/^(file|data|blob):/.test(name));
  const found = [...wide.map(e => e.outerHTML.slice(0, 60)), ...foreign];
  document.title = `${{page.documentElement.scrollWidth}} wide: ${{found.join(" ")}}`;
}});
</script>
"""


def look(page: Path, width: int, place: Path) -> str:
    """How wide the page is in a frame, the elements that reach beyond it, and what is no file.

    Args:
        page: HTML.
        width: of the frame, in pixels.
        place: folder for what this writes.
    """
    assert BROWSER is not None
    probe = place / f"probe{width}.html"
    probe.write_text(FRAME.format(width=width, page=page.as_uri()), encoding="utf-8")
    command = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += ["--allow-file-access-from-files", "--host-resolver-rules=MAP * ~NOTFOUND"]
    command += ["--virtual-time-budget=3000", "--dump-dom", probe.as_uri()]
    dumped = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    found = re.search(r"<title>(.*?)</title>", dumped.stdout, re.DOTALL)
    assert found is not None
    return found[1]
