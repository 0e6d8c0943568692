"""Pages of documentation as sequences of blocks: paragraphs, headings, cells, each on one line.

A translation made with message catalogues keeps the structure of its page, so that the blocks of
both languages correspond one to one.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Literal, TypeAlias

from nlmt.corpora import man_page
from nlmt.corpora.block import Block
from nlmt.corpora.html_parser import VOID, LenientHtmlParser
from nlmt.corpora.lines import one_line
from nlmt.corpora.xml_events import xml_events
from nlmt.errors import InputError
from nlmt.io.files import HEAD, not_text, not_utf8

Markup: TypeAlias = Literal["html", "mallard", "man", "rst"]

_CHARSET = re.compile(rb"""<meta[^>]*charset\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)
_HEAD = 1024  # bytes in which HTML names its encoding
# Browsers take Windows' encoding for the one that it extends.
_BROWSERS = dict.fromkeys(("iso-8859-1", "latin1", "us-ascii"), "cp1252")
_SEVEN_BIT = ("iso-2022-", "hz-gb")  # encodings whose bytes are ASCII, and so also UTF-8


@dataclass(frozen=True)
class _Vocabulary:
    """The meaning of the elements of a kind of pages.

    Attributes:
        blocks: elements whose text is a sentence or paragraph.
        skipped: elements whose content is not text for readers.
        outside: element of a block without text in the place of text outside of all blocks, if that
            is for readers.
    """

    blocks: frozenset[str]
    skipped: frozenset[str]
    outside: str = ""


_HTML_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_HTML = _Vocabulary(
    blocks=_HTML_HEADINGS
    | {"p", "li", "td", "th", "dt", "dd", "title", "caption", "figcaption", "div"},
    skipped=frozenset({"script", "style", "pre", "nav"}),
    outside="body",
)
_MALLARD = _Vocabulary(
    blocks=frozenset({"p", "title", "subtitle", "desc", "td", "item"}),
    skipped=frozenset({"credit", "license", "revision", "screen", "comment", "include", "media"}),
)
# Elements that begin a section.
_HEADINGS: Mapping[Markup, frozenset[str]] = {
    "html": _HTML_HEADINGS,
    "mallard": frozenset({"title"}),
    "man": man_page.HEADINGS,
    "rst": frozenset({"title"}),
}
# Navigation and tables of contents in style sheets of DocBook, Publican, Texinfo, Sphinx, Apache;
# signatures of functions in those of Sphinx, javadoc and rustdoc; the colon before a classifier,
# which some of docutils' writers leave to the style sheet.
_SKIPPED = frozenset(
    {"navheader", "navfooter", "toc", "docnav", "list-of-figures", "headerlink", "permalink"}
    | {"nav_table", "nav-panel", "sphinxsidebar", "related", "wy-nav-side"}
    | {"sig", "member-signature", "inherited-list", "code-header", "classifier-delimiter"}
)


class _Gatherer:
    """Gathers the blocks of a page from its elements and texts."""

    def __init__(self, vocabulary: _Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._elements: list[str] = []
        self._texts: list[list[str]] = []
        self._open: list[tuple[str, int | None]] = []  # elements, each with its block
        self._skipped_at: int | None = None

    def start(self, element: str, *, skipped: bool = False) -> None:
        """Handle the beginning of an element."""
        is_block = element in self._vocabulary.blocks
        block: int | None = None
        if self._skipped_at is None:
            if skipped or element in self._vocabulary.skipped:
                self._skipped_at = len(self._open)
            elif is_block:
                block = len(self._elements)
                self.text(" ")  # a block within another separates its words
                self._elements.append(element)
                self._texts.append([])
        self._open.append((element, block))

    def end(self, element: str) -> None:
        """Handle the end of an element, which also ends open ones within it."""
        if all(name != element for name, _ in self._open):
            return
        while self._open:
            name, _ = self._open.pop()
            if self._skipped_at == len(self._open):
                self._skipped_at = None
            if name == element:
                break

    def text(self, text: str) -> None:
        """Add text to the innermost block, if there is any."""
        if self._skipped_at is None:
            for _, block in reversed(self._open):
                if block is not None:
                    self._texts[block].append(text)
                    return
            outside = self._vocabulary.outside
            if outside and text.strip() and self._elements[-1:] != [outside]:
                self._elements.append(outside)
                self._texts.append([])

    def is_open(self, element: str) -> bool:
        """Whether the innermost block is of this element."""
        open_blocks = (name for name, block in reversed(self._open) if block is not None)
        return next(open_blocks, "") == element

    def blocks(self) -> list[Block]:
        """All blocks of the page, in the order of their beginnings."""
        outside = self._vocabulary.outside
        return [
            Block(element, one_line(texts), "text outside of blocks" if element == outside else "")
            for element, texts in zip(self._elements, self._texts, strict=True)
        ]


class _HtmlPage(LenientHtmlParser):
    """Passes the elements of an HTML page to a gatherer."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.gatherer = _Gatherer(_HTML)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self.gatherer.text(" ")  # it separates words
        if tag in VOID:
            return
        if tag in _HTML.blocks and self.gatherer.is_open("p"):
            self.gatherer.end("p")  # a paragraph cannot contain a block: its end tag was omitted
        classes = (dict(attrs).get("class") or "").split()
        if "classifier" in classes:  # the type of a parameter
            self.gatherer.text(" : ")
        self.gatherer.start(tag, skipped=not _SKIPPED.isdisjoint(classes))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.gatherer.end(tag)

    def handle_endtag(self, tag: str) -> None:
        self.gatherer.end(tag)

    def handle_data(self, data: str) -> None:
        self.gatherer.text(data)


def page_blocks(content: bytes, markup: Markup, path: str) -> list[Block]:
    """The blocks of a page in UTF-8, or of HTML or XML in the encoding that it names.

    Raises:
        InputError: in another encoding, not well-formed XML, or blocks within a hundred blocks.
    """
    if markup == "mallard":
        gatherer = _Gatherer(_MALLARD)
        for event in xml_events(BytesIO(content), path):
            name = event.value.rpartition(":")[2]  # without its namespace
            if event.kind == "text":
                gatherer.text(event.value)
            elif event.kind == "start":
                gatherer.start(name)
            else:
                gatherer.end(name)
        return gatherer.blocks()
    text = page_text(content, markup, path)
    if markup == "man":
        return man_page.man_blocks(text)
    if markup == "rst":
        return _rst_blocks(text, path)
    page = _HtmlPage()
    page.feed(text)
    page.close()
    return page.gatherer.blocks()


def _rst_blocks(text: str, path: str) -> list[Block]:
    """The blocks of a page in reStructuredText."""
    from nlmt.corpora.restructured_text import rst_blocks  # late: docutils is slow to load

    try:
        return rst_blocks(text)
    except RecursionError as error:
        hint = "nothing reads such a page; leave it out"
        raise InputError("blocks within blocks, too many times", path=path, hint=hint) from error


def page_text(content: bytes, markup: Markup, path: str) -> str:
    """The text of a page, in UTF-8 or, if it is HTML, in the encoding that its head names.

    Raises:
        InputError: in another encoding.
    """
    named = _CHARSET.search(content[:_HEAD]) if markup == "html" else None
    try:
        text = _decoded(content, named[1].decode("ascii").lower() if named else "")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise not_utf8(error, content[:HEAD], path, line) from error
    if "\0" in text[:HEAD]:
        raise not_text("a NUL byte", path, 1)
    return text.replace("\0", " ")  # which no line of a text may have


def _decoded(content: bytes, encoding: str) -> str:
    """The text of a page that names an encoding, or none."""
    if encoding.startswith(_SEVEN_BIT):
        with suppress(LookupError, UnicodeError):
            return content.decode(encoding)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        with suppress(LookupError, UnicodeError):
            if encoding:
                return content.decode(_BROWSERS.get(encoding, encoding))
        raise


def sections(blocks: list[Block], markup: Markup) -> list[list[Block]]:
    """The blocks of a page, split before each heading."""
    headings = _HEADINGS[markup]
    found: list[list[Block]] = [[]]
    for block in blocks:
        if block.element in headings:
            found.append([])
        found[-1].append(block)
    return found
