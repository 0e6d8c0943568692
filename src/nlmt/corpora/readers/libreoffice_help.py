"""The paragraphs of the LibreOffice help, each once, as a reader sees them.

Every paragraph and heading has the same page name and element id in every language. A page has some
text once for each operating system or program, in `switch` and `switchinline` spans, of whose cases
a script shows one. Here one is kept: the case for Unix and the page's program.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from typing_extensions import override

from nlmt.chunks import ordered_map
from nlmt.corpora.archives import members
from nlmt.corpora.bitext import Paragraph, SentencePair, join_bitext
from nlmt.corpora.html_parser import VOID, LenientHtmlParser
from nlmt.corpora.lines import one_line
from nlmt.corpora.page_blocks import page_text
from nlmt.corpora.readers import FormatSettings, Reader, check_found
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.errors import InputError
from nlmt.settings import REQUIRED, setting

_PAGE = re.compile(r"usr/share/libreoffice/help/([a-z]+)(?:-[A-Za-z-]+)?/text/(.+)\.html")
_IDENTIFIED = re.compile(r"(?:par|hd)_")
_TITLED = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6"})
_BLOCKS = _TITLED | {"div", "li", "td", "th", "tr"}
_SKIPPED = frozenset({"script", "style", "head", "header", "footer", "aside", "nav", "pre"})
_SYSTEMS = ("UNIX", "default", "WIN", "MAC")
_PROGRAMS = ("default", "WRITER", "CALC", "IMPRESS", "DRAW", "MATH", "CHART", "BASE", "BASIC")
_FOLDER_PROGRAM = {
    "swriter": "WRITER",
    "scalc": "CALC",
    "simpress": "IMPRESS",
    "sdraw": "DRAW",
    "smath": "MATH",
    "schart": "CHART",
    "sdatabase": "BASE",
    "sbasic": "BASIC",
}


class HelpFormat(FormatSettings):
    """Help pages of LibreOffice, one Debian package per language, joined by page and element id."""

    kind: Literal["libreoffice-help"] = setting(REQUIRED, "Packages libreoffice-help-*.")


class HelpReader(Reader):
    """Reads one package per language; a page is a document, a paragraph a sentence."""

    settings = HelpFormat

    @override
    def pairs(
        self,
        options: Any,
        files: PartFiles,
        languages: tuple[str, str],
        counts: Counter[str],
        threads: int = 1,
    ) -> Iterator[SentencePair]:
        packages = (files.source.path, files.references[0].path)
        sides = zip(packages, languages, strict=True)
        source, target = ordered_map(_extract_side, sides, min(threads, 2))
        pairs, joined = join_bitext(source, target)
        counts.update(joined)
        return iter(pairs)

    @override
    def texts(self, options: Any, file: TextFile, language: str) -> Iterator[str]:
        return (paragraph.text for paragraph in extract_help(file.path, language))


def _extract_side(side: tuple[Path, str]) -> list[Paragraph]:
    return extract_help(*side)


def extract_help(path: Path, language: str) -> list[Paragraph]:
    """The paragraphs of a language in a `libreoffice-help-*` package, by page, in page order.

    Of an id that is repeated in its page (text included twice), only the first paragraph counts.

    Raises:
        InputError: not such a package, or of another language; damaged, or a page that is not UTF-8
            or comes in several variants of the language.
    """
    pages: dict[str, list[Paragraph]] = {}
    found: set[str] = set()
    for name, content in members(path, _PAGE.fullmatch):
        match = _PAGE.fullmatch(name)
        assert match is not None
        code, page = match.groups()
        found.add(code)
        if code != language:
            continue
        if page in pages:
            what = f"the page {page} in several variants of {language}"
            raise InputError(what, path=path, hint="give a package of one of them")
        pages[page] = parse_page(page, page_text(content, "html", f"{path}/{name}"))
    if not found:
        raise InputError(
            "no page of the LibreOffice help in this package",
            path=path,
            hint="the format libreoffice-help is that of the packages libreoffice-help-<language>",
        )
    check_found([language], found, TextFile(path))
    return [paragraph for page in sorted(pages) for paragraph in pages[page]]


def parse_page(page: str, html: str) -> list[Paragraph]:
    """The identified, non-empty paragraphs of one page, in order, each id once."""
    parser = _PageParser(page)
    parser.feed(html)
    parser.close()
    found: dict[str, Paragraph] = {}
    for paragraph in parser.paragraphs:
        found.setdefault(paragraph.element, paragraph)
    return list(found.values())


@dataclass(slots=True)
class _Frame:
    """An open element and its text so far.

    `text` and `paragraphs` are shared with the enclosing frame, except for elements that decide on
    them at their end: a paragraph, a switch, a case.
    """

    tag: str
    text: list[str]
    paragraphs: list[Paragraph]
    element: str = ""
    case: str = ""
    is_switch: bool = False
    cases: list["_Frame"] = field(default_factory=list)


class _PageParser(LenientHtmlParser):
    """Collects the paragraphs of one page; open elements are closed with their parent."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.paragraphs: list[Paragraph] = []
        self._page = page
        own = _FOLDER_PROGRAM.get(page.split("/", 1)[0])
        self._programs = (own, *_PROGRAMS) if own else _PROGRAMS
        self._stack = [_Frame("", [], self.paragraphs)]
        self._skipping = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._skipping:
            return
        if tag in VOID:
            if tag == "br":
                self._stack[-1].text.append(" ")
            return
        if tag in _SKIPPED:
            self._skipping = tag
            return
        top = self._stack[-1]
        frame = _Frame(tag, top.text, top.paragraphs)
        if tag == "span":
            values = dict(attrs)
            kind = values.get("class") or ""
            if kind in ("switch", "switchinline"):
                frame.is_switch = True
                frame.text = []
            elif top.is_switch:
                frame.case = kind or "default"
                frame.text, frame.paragraphs = [], []
        elif tag in _TITLED:
            identifier = dict(attrs).get("id") or ""
            if _IDENTIFIED.match(identifier):
                frame.element, frame.text = identifier, []
        if tag in _BLOCKS and not frame.element:
            frame.text.append(" ")
        self._stack.append(frame)

    def handle_endtag(self, tag: str) -> None:
        if self._skipping:
            if tag == self._skipping:
                self._skipping = ""
            return
        if self._stack[-1].tag == tag or any(frame.tag == tag for frame in self._stack):
            while self._close(self._stack.pop()) != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not self._skipping:
            self._stack[-1].text.append(data)

    def close(self) -> None:
        super().close()
        while len(self._stack) > 1:
            self._close(self._stack.pop())

    def _close(self, frame: _Frame) -> str:
        """Pass the content of `frame` to its enclosing frame; return its tag."""
        parent = self._stack[-1]
        if frame.element:
            if text := one_line(frame.text):
                parent.paragraphs.append(Paragraph(self._page, frame.element, text))
        elif frame.case:
            parent.cases.append(frame)
        elif frame.is_switch:
            for case in self._shown(frame.cases):
                parent.text.extend(case.text)
                parent.paragraphs.extend(case.paragraphs)
        elif frame.tag in _BLOCKS:
            parent.text.append(" ")
        return frame.tag

    def _shown(self, cases: list[_Frame]) -> list[_Frame]:
        """The cases that the reader sees.

        Cases by program that contain whole paragraphs all stay, as each is a separate sentence.
        """
        named = {case.case: case for case in reversed(cases)}
        if not named.keys() & (set(_SYSTEMS) - {"default"}):
            if any(case.paragraphs for case in cases):
                return cases
            order: tuple[str, ...] = self._programs
        else:
            order = _SYSTEMS
        return next(([named[name]] for name in order if name in named), cases[:1])


LIBREOFFICE_HELP = HelpReader()
