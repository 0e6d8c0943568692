"""Manual pages in the macros of man(7), as sequences of blocks.

Font macros and escapes are inline, so that a page and its translation by po4a, which writes fonts
as escapes, have the same blocks. Examples, tables and pages in mdoc(7) have no text.
"""

import re
from collections.abc import Iterable, Iterator

from nlmt.corpora.block import Block

HEADINGS = frozenset({"SH", "SS"})

_PARAGRAPHS = {"PP": "PP", "P": "PP", "LP": "PP", "HP": "HP", "IP": "IP"}
_FONTS = frozenset({"B", "I", "SM", "SB"})
_ALTERNATING = frozenset({"BR", "BI", "IB", "IR", "RB", "RI"})
_LINKS = frozenset({"UR", "MT"})
_LINK_ENDS = frozenset({"UE", "ME"})
# What opens text that is no prose, and what ends it.
_LITERAL = {"nf": "fi", "EX": "EE", "TS": "TE", "EQ": "EN", "SY": "YS"}
_DEFINITIONS = frozenset({"de", "de1", "am", "am1", "ig"})
_STRUCTURE = frozenset({"RS", "RE", "sp"})

_SPACE = re.compile(r"[ \t]+")  # a no-break space is text
_REQUEST = re.compile(r"[.'][ \t]*([A-Za-z][A-Za-z0-9]*)?[ \t]*(.*)")
_ARGUMENT = re.compile(r'"((?:[^"]|"")*)(?:"|$)|((?:[^\s\\]|\\.)+)')
_CONDITION = re.compile(r"[.'][ \t]*(if|ie|el)(?![A-Za-z0-9])[ \t]*(.*)")
_HEADING = re.compile(r"\.[ \t]*S[HS]\b")
_COMMENT = re.compile(r'(?<!\\)\\["#].*')
_ESCAPE = re.compile(
    r"\\(?:f(?:\[[^]]*\]|\(..|.)"  # fonts
    r"|s(?:[+-]?\d|\[[^]]*\]|\([+-]?..|[+-]\(..)"  # sizes
    r"|[mMFY](?:\[[^]]*\]|\(..|.)"
    r"|\*(?:\[([^]]*)\]|\((..)|(.))"  # strings
    r"|[vhwDlLZXN]'[^']*'"
    r"|\(([^\s].)|\[([^]]*)\]"  # characters
    r"|(.))"
)
_CHARACTERS = {
    "aq": "'", "dq": '"', "lq": "\u201c", "rq": "\u201d", "oq": "\u2018", "cq": "\u2019",
    "Lq": "\u201c", "Rq": "\u201d", "em": "\u2014", "en": "\u2013", "hy": "-", "mi": "-",
    "bu": "\u2022", "co": "\u00a9", "rg": "\u00ae", "tm": "\u2122", "R": "\u00ae",
    "Tm": "\u2122", "ha": "^", "ti": "~", "rs": "\\", "at": "@", "ga": "`", "mu": "\u00d7",
    "<=": "\u2264", ">=": "\u2265", "!=": "\u2260", "->": "\u2192", "<-": "\u2190", "+-": "\u00b1",
    "de": "\u00b0", "Fo": "\u00ab", "Fc": "\u00bb", "sc": "\u00a7", "12": "\u00bd", "or": "|",
    "sl": "/", "ul": "_", "sh": "#", "Do": "$", "Eu": "\u20ac", "mc": "\u00b5", "ba": "|",
}  # fmt: skip
_SINGLE = {"-": "-", "e": "\\", "\\": "\\", " ": "\u00a0", "~": "\u00a0", "0": " ", ".": "."}
_SINGLE |= {"t": " ", "'": "\u00b4", "`": "`", "E": "\\", "_": "_"}


def man_blocks(text: str) -> list[Block]:
    """Return the blocks of a page: paragraphs, tags, headings, and its structure without text."""
    page = _Page()
    for line in _unconditional(_logical_lines(text)):
        page.read(line)
    return page.blocks()


class _Page:
    """The blocks of a page, line by line."""

    def __init__(self) -> None:
        self._elements: list[str] = []
        self._texts: list[list[str]] = []
        self._skipped_to: str | None = None
        self._tag: str | None = None  # element after which the next line is one of its own
        self._link: str | None = None
        self._glued = False

    def blocks(self) -> list[Block]:
        """All blocks of the page."""
        self._close()
        return [
            Block(element, _SPACE.sub(" ", "".join(texts)).strip())
            for element, texts in zip(self._elements, self._texts, strict=True)
        ]

    def read(self, line: str) -> None:
        """Read a line of the page."""
        if not line.startswith((".", "'")):
            if self._skipped_to is None:
                self._add(line)
            return
        match = _REQUEST.fullmatch(line)
        if match is None:
            return
        name, rest = match[1] or ".", match[2]
        if self._skipped_to is not None:
            # A heading ends what was not closed, but may stand in the definition of a macro.
            recovers = name in HEADINGS and self._skipped_to != "."
            if recovers or name == self._skipped_to:
                self._skipped_to = None
            if not recovers:
                return
        self._macro(name, rest)

    def _macro(self, name: str, rest: str) -> None:
        if name in _FONTS:
            self._add(" ".join(_arguments(rest)))
        elif name in _ALTERNATING:
            self._add("".join(_arguments(rest)))
        elif name in _LINKS:
            self._link = next(_arguments(rest), None)
        elif name in _LINK_ENDS:
            if self._link is not None:  # a link without a text shows its address
                self._add(self._link)
                self._link = None
            if self._texts and (rest := "".join(_arguments(rest))):
                self._glued = True
                self._add(rest)
        elif name in _LITERAL:
            self._open(name)
            self._skipped_to = _LITERAL[name]
        elif name in _DEFINITIONS:
            self._skipped_to = "."
        elif name in HEADINGS:
            self._open(name)
            if rest:
                self._add(" ".join(_arguments(rest)))
                self._open("PP")
            else:
                self._tag = "PP"
        elif name == "IP":
            self._open("tag")
            self._add(next(_arguments(rest), ""))
            self._open("IP")
        elif name in ("TP", "TQ"):
            self._open("tag")
            self._tag = "TP"
        elif name in _PARAGRAPHS:
            self._open(_PARAGRAPHS[name])
        elif name in _STRUCTURE:
            self._open(name)

    def _open(self, element: str) -> None:
        """Begin a block."""
        self._close()
        self._elements.append(element)
        self._texts.append([])
        self._tag, self._link, self._glued = None, None, False

    def _close(self) -> None:
        """Forget a paragraph that was only space."""
        if self._elements and self._elements[-1] in ("PP", "sp") and not self._texts[-1]:
            self._elements.pop()
            self._texts.pop()

    def _add(self, line: str) -> None:
        """Add a line to the block that is open."""
        text, glues = _plain(line)
        if not self._texts:
            return  # before the first heading
        if self._elements[-1] in (*_LITERAL, "RS", "RE"):
            self._open("PP")
        if text:
            if self._texts[-1] and not self._glued:
                self._texts[-1].append(" ")
            self._texts[-1].append(text)
            self._link = None
        self._glued = glues
        if self._tag is not None and not glues:
            following, self._tag = self._tag, None
            self._open(following)


def _logical_lines(text: str) -> Iterator[str]:
    """Lines without comments, with continued ones joined; in mdoc there are none."""
    if re.search(r"^\.\s*Dd\b", text, re.MULTILINE):
        return
    before = ""
    for raw in text.split("\n"):
        line = before + _COMMENT.sub("", raw)
        if line.endswith("\\") and not line.endswith("\\\\"):
            before = line[:-1]
            continue
        before = ""
        yield line


def _unconditional(lines: Iterable[str]) -> Iterator[str]:
    """Lines without conditions: what terminals (`.if n`) or printers (`.if t`) show, and `.el`."""
    depth = 0  # of braces in what is left out
    for line in lines:
        if depth and not _HEADING.match(line):
            depth += line.count("\\{") - line.count("\\}")
            continue
        depth = 0
        match = _CONDITION.fullmatch(line)
        if match is None:
            if line.strip(".' \t") != "\\}":
                yield line
            continue
        name, rest = match[1], match[2]
        if name != "el":
            if name == "ie" or not re.match(r"[nt][ \t\\]", rest):
                depth = max(0, line.count("\\{") - line.count("\\}"))
                continue
            rest = rest[1:]
        if following := rest.strip().removeprefix("\\{").strip():
            yield following


def _arguments(rest: str) -> Iterator[str]:
    """The arguments of a macro."""
    for match in _ARGUMENT.finditer(rest):
        yield match[2] if match[1] is None else match[1].replace('""', '"')


def _plain(line: str) -> tuple[str, bool]:
    """The text of a line without escapes, and whether the next one follows without a space."""
    return _ESCAPE.sub(_character, line).strip(" \t"), line.endswith("\\c")


def _character(escape: re.Match[str]) -> str:
    string, character = escape[1] or escape[2] or escape[3], escape[4] or escape[5]
    if name := string or character:
        if code := re.fullmatch(r"u([0-9A-F]{4,6})", name):
            return chr(int(code[1], 16)) if int(code[1], 16) < 0x110000 else ""
        return _CHARACTERS.get(name, "")
    return _SINGLE.get(escape[6] or "", "")
