"""Pages in a real browser, where there is one: what is cut off, faint, or loaded from elsewhere."""

import base64
import contextlib
import json
import os
import selectors
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next((path for name in BROWSERS if (path := shutil.which(name))), None)
WIDTHS = (360, 768, 1280)  # pixels: a phone, a tablet, a desk
PAPER_WIDTH = 960  # pixels: a page in landscape without its margins, A4 or letter
CONTRAST = 4.5  # of text and background at least: WCAG 2.1, criterion 1.4.3
DEADLINE = 300.0  # seconds that an answer of the browser may take
needs_browser = pytest.mark.skipif(BROWSER is None, reason="there is no browser on this machine")
# All that is folded is opened first, and what moves is moved to its end. What reaches beyond the
# window must be inside of something that scrolls, or hidden; on paper nothing scrolls. Colours are
# those of the computed styles: of text, and of what is painted below it by the element and those
# that it is in.
INSPECT = """((contrast, scrolling) => {
  const root = document.documentElement, body = document.body, limit = innerWidth + 1;
  document.querySelectorAll("details").forEach(e => { e.open = true; });
  document.getAnimations().filter(a => a.effect.getComputedTiming().endTime < Infinity)
    .forEach(a => a.finish());
  const named = e => e.outerHTML.slice(0, 60);
  const up = function* (e) { for (let p = e; p; p = p.parentElement) yield p; };
  const scrolls = e => scrolling && e !== body && e !== root &&
    getComputedStyle(e).overflowX !== "visible" && e.getBoundingClientRect().right <= limit;
  const end = e => {
    const box = e.getBoundingClientRect();
    const inside = e instanceof HTMLElement ? e.scrollWidth : 0;
    return box.left < limit ? Math.max(box.right, box.left + inside) : 0;
  };
  const wide = [...body.querySelectorAll("*")].filter(e =>
    end(e) > limit && ![...up(e)].some(scrolls));

  const rgba = text => {
    const found = /^rgba?\\(([^)]*)\\)$/.exec(text);
    if (!found) throw new Error(`no colour: ${text}`);
    const [r, g, b, a = 1] = found[1].split(",").map(Number);
    return [r, g, b, a];
  };
  const over = (top, below) => [0, 1, 2].map(i => top[3] * top[i] + (1 - top[3]) * below[i]);
  const probe = body.appendChild(document.createElement("i"));
  probe.style.color = "canvas";
  const canvas = rgba(getComputedStyle(probe).color);
  probe.remove();
  const known = new Map([[null, canvas]]);
  const ground = e => {
    if (!known.has(e)) {
      const own = rgba(getComputedStyle(e).backgroundColor);
      known.set(e, over(own, ground(e.parentElement)));
    }
    return known.get(e);
  };
  const luminance = colour => {
    const [r, g, b] = colour.map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const written = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  const inked = [...body.querySelectorAll("*")]
    .filter(e => written(e) && e.getClientRects().length);
  const faint = inked.map(e => {
    const style = getComputedStyle(e), below = ground(e);
    const ink = rgba(e instanceof SVGElement ? style.fill : style.color);
    return [ratio(over(ink, below), below), e];
  }).filter(([found]) => found < contrast).map(([found, e]) => `${found.toFixed(2)} ${named(e)}`);

  const loaded = performance.getEntriesByType("resource").map(e => e.name);
  return {
    scroll_width: root.scrollWidth, text: body.textContent, wide: wide.map(named), faint,
    foreign: loaded.filter(name => !/^(file|data|blob):/.test(name)), inked: inked.length,
    ground: ground(body),
  };
})"""


@dataclass(frozen=True)
class Sight:
    """A page as the browser shows it.

    Attributes:
        scroll_width: of the page, in pixels; more than that of the window is too wide.
        wide: elements that reach beyond the window.
        foreign: addresses that the page loads and that are no files.
        inked: number of elements with text of their own.
        faint: those of them whose text is hard to read, after the contrast.
        ground: colour of the page's background, 0 to 255 each.
        text: all of it.
    """

    scroll_width: int
    wide: list[str]
    foreign: list[str]
    inked: int
    faint: list[str]
    ground: list[float]
    text: str


class Browser:
    """A browser without a window, asked by the Chrome DevTools protocol through two pipes.

    Args:
        process: whose input and output are the pipes.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._received = b""
        self._sent = 0
        self._session = ""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self._ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self._ask("Page.enable")

    def open(self, page: Path) -> None:
        """Load a page, with all that it asks for."""
        moved = self._ask("Page.navigate", url=page.as_uri())
        assert "errorText" not in moved, moved
        while self._receive().get("method") != "Page.loadEventFired":
            pass

    def look(
        self,
        width: int,
        *,
        scheme: Literal["light", "dark"] = "light",
        media: Literal["screen", "print"] = "screen",
    ) -> Sight:
        """What is to be seen of the open page.

        Args:
            width: of the window or the paper, in pixels.
            scheme: colours that the reader prefers.
            media: where the page is shown.
        """
        self._ask(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
        )
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self._ask("Emulation.setEmulatedMedia", media=media, features=[feature])
        expression = f"{INSPECT}({CONTRAST}, {json.dumps(media == 'screen')})"
        found = self._ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return Sight(**found["result"]["value"])

    def picture(self, path: Path) -> None:
        """Write the whole page as last looked at, as PNG."""
        shot = self._ask("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to a command of the protocol."""
        self._sent += 1
        message = {"id": self._sent, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\0")
        self._process.stdin.flush()
        while (answer := self._receive()).get("id") != self._sent:
            pass
        assert "error" not in answer, answer["error"]
        result: dict[str, Any] = answer["result"]
        return result

    def _receive(self) -> dict[str, Any]:
        """The next answer or event."""
        assert self._process.stdout is not None
        end = time.monotonic() + DEADLINE
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\0" not in self._received:
                assert selector.select(end - time.monotonic()), "the browser does not answer"
                part = os.read(self._process.stdout.fileno(), 1 << 16)
                assert part, "the browser has ended"
                self._received += part
        message, _, self._received = self._received.partition(b"\0")
        received: dict[str, Any] = json.loads(message)
        return received


@contextlib.contextmanager
def open_browser(profile: Path) -> Iterator[Browser]:
    """A browser that reaches no network.

    Args:
        profile: folder for what it writes.
    """
    assert BROWSER is not None
    # It reads commands from file 3 and writes answers to file 4.
    command = ["sh", "-c", 'exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1', BROWSER]
    command += ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += ["--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}"]
    command += ["--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield Browser(process)
    finally:
        process.kill()
        process.communicate()


def assert_readable(browser: Browser, page: Path) -> None:
    """On screens of all widths, also dark, and on paper, whatever the screen's colours are."""
    browser.open(page)
    for scheme in ("light", "dark"):
        widths = WIDTHS if scheme == "light" else WIDTHS[-1:]  # dark, only colours differ
        for width in widths:
            sight = browser.look(width, scheme=scheme)
            assert (sight.scroll_width, sight.wide, sight.faint) == (width, [], [])
            assert (max(sight.ground) < 128) == (scheme == "dark")
        printed = browser.look(PAPER_WIDTH, scheme=scheme, media="print")
        assert (printed.scroll_width, printed.wide, printed.faint) == (PAPER_WIDTH, [], [])
        assert printed.ground == [255, 255, 255]
        assert printed.foreign == []
