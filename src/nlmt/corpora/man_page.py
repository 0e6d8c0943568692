"""Manual pages in the macros of man(7), as sequences of blocks.

Font macros and escapes are inline, so that a page and its translation by po4a, which writes fonts
as escapes, have the same blocks. Examples, tables and pages in mdoc(7) have no text, nor have
blocks with a character or macro that is not known, as theirs would be incomplete. Macros that the
page defines beside those of man(7) are known.
"""

import re
from collections.abc import Iterable, Iterator

from nlmt.corpora.block import Block
from nlmt.corpora.man_escapes import ManText, UnknownCharacterError

HEADINGS = frozenset({"SH", "SS"})

_PARAGRAPHS = {"PP": "PP", "P": "PP", "LP": "PP", "HP": "HP"}
_FONTS = frozenset({"B", "I", "SM", "SB"})
_ALTERNATING = frozenset({"BR", "BI", "IB", "IR", "RB", "RI"})
_LINKS = frozenset({"UR", "MT"})
_LINK_ENDS = frozenset({"UE", "ME"})
# What opens text that is no prose, and what ends it.
_LITERAL = {"nf": "fi", "EX": "EE", "TS": "TE", "EQ": "EN", "SY": "YS", "Vb": "Ve"}
_DEFINITIONS = frozenset({"de", "de1", "am", "am1", "ig"})
_STRUCTURE = frozenset({"RS", "RE", "sp"})
# Requests and macros whose arguments are no text.
_WITHOUT_TEXT = frozenset(
    """
    AT DT IX PD TH UC ad af als bp br cc ce cflags char color cp defcolor do ec eo fam ft hcode hla
    hpf hw hy hym hys in it lf ll ls lt mso na ne nh nr ns pl pm po ps rm rn rr rs so ss ta ti tm tr
    vs warn while
    """.split()  # noqa: SIM905
)

# Calls within calls of macros that a page defines, and characters that all of them become.
_DEEPEST, _LONGEST = 20, 1 << 18

_SPACE = re.compile(r"[ \t]+")  # a no-break space is text
_REQUEST = re.compile(r"[.'][ \t]*([A-Za-z][A-Za-z0-9]*)?[ \t]*(.*)")
# A quotation mark in the name of a string ends no argument.
_ARGUMENT = re.compile(r'"((?:\\\*?\(..|[^"]|"")*)(?:"|$)|((?:\\\*?\(..|[^\s\\]|\\.)+)')
_PARAMETER = re.compile(r"\\\$([1-9*@])")
_CONDITION = re.compile(r"[.'][ \t]*(if|ie|el)(?![A-Za-z0-9])[ \t]*(.*)")
# What holds for groff and a printer, for which pages have their quotation marks and dashes.
_PRINTER = re.compile(r"(?:t|!n|\\n(?:\(\.g|\[\.g\]))(?=[ \t\\]|$)")
_HEADING = re.compile(r"\.[ \t]*S[HS]\b")
_COMMENT = re.compile(r'(?<!\\)\\["#].*')


def man_blocks(text: str) -> list[Block]:
    """Return the blocks of a page: paragraphs, tags, headings, and its structure without text."""
    page = _Page(ManText(of_pod="Pod::Man" in text))
    for line in _unconditional(_logical_lines(text)):
        page.read(line)
    return page.blocks()


class _Page:
    """The blocks of a page, line by line."""

    def __init__(self, text: ManText) -> None:
        self._elements: list[str] = []
        self._texts: list[list[str]] = []
        self._unknown: dict[int, str] = {}  # escapes and macros, by the number of the block
        self._text = text
        self._macros: dict[str, list[str]] = {}  # lines of those that the page defines
        self._definition: list[str] | None = None  # that of the macro that is being defined
        self._depth, self._left = 0, _LONGEST
        self._skipped_to: str | None = None
        self._tag: str | None = None  # element that begins after the next line
        self._link: str | None = None
        self._glued = False

    def blocks(self) -> list[Block]:
        """All blocks of the page."""
        self._close()
        return [
            Block(element, "", self._unknown[number])
            if number in self._unknown
            else Block(element, _SPACE.sub(" ", "".join(texts)).strip())
            for number, (element, texts) in enumerate(zip(self._elements, self._texts, strict=True))
        ]

    def read(self, line: str) -> None:
        """Read a line of the page."""
        if not line.startswith((".", "'")):
            if self._skipped_to is None:
                self._add(line)
            elif self._definition is not None:
                self._definition.append(line.replace("\\\\", "\\"))
            return
        match = _REQUEST.fullmatch(line)
        if match is None:
            return
        name, rest = match[1] or ".", match[2]
        if self._skipped_to is not None:
            # A heading ends what was not closed, but may stand in the definition of a macro.
            recovers = name in HEADINGS and self._skipped_to in _LITERAL.values()
            # A line of a dot alone, as a comment leaves it, is not the end of a definition.
            ends = name == self._skipped_to and (name != "." or rest.startswith("."))
            if recovers or ends:
                self._skipped_to = self._definition = None
            elif self._definition is not None:
                self._definition.append(line.replace("\\\\", "\\"))
            if not recovers:
                return
        self._macro(name, rest)

    def _macro(self, name: str, rest: str) -> None:
        if name in _FONTS:
            if rest:  # without an argument, it is for the next line
                self._add(" ".join(_arguments(rest)))
        elif name in _ALTERNATING:
            self._add("".join(_arguments(rest)))
        elif name == "MR":  # title and section of a page, and what follows
            title, section, *after = [*_arguments(rest), "", ""]
            self._add(f"{title}({section}){after[0]}" if section else title)
        elif name == "ds":
            self._text.define(rest)
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
            named = rest.split()[: name != "ig"]  # `.de NAME END`, `.ig END`
            ends = rest.split()[len(named) :]
            self._skipped_to = ends[0] if ends else "."
            if named:
                known = self._macros.get(named[0], []) if name.startswith("am") else []
                self._definition = self._macros[named[0]] = known
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
        elif name in _WITHOUT_TEXT or name == ".":
            pass
        elif name in self._macros and self._depth < _DEEPEST and self._left > 0:
            self._call(name, list(_arguments(rest)))
        elif rest.strip():
            self._append(f".{name}", known=False)

    def _call(self, name: str, arguments: list[str]) -> None:
        """Read the lines of a macro that the page defines."""
        every = {"*": " ".join(arguments), "@": " ".join(f'"{one}"' for one in arguments)}
        given = every | {str(number): one for number, one in enumerate(arguments, start=1)}
        self._depth += 1
        for line in list(self._macros[name]):
            inserted = [given.get(parameter, "") for parameter in _PARAMETER.findall(line)]
            self._left -= len(line) + 1 + sum(map(len, inserted))
            if self._left < 0:
                self._append(f".{name}", known=False)
                break
            self.read(_PARAMETER.sub(lambda found: given.get(found[1], ""), line))
        self._depth -= 1

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
        glues = line.endswith("\\c")
        try:
            self._append(self._text.plain(line).strip(" \t"), glues=glues)
        except UnknownCharacterError as error:
            self._append(str(error), glues=glues, known=False)

    def _append(self, text: str, *, glues: bool = False, known: bool = True) -> None:
        """Append the text of a line to the block that is open, or what is unknown of it."""
        if not self._texts:
            return  # before the first heading
        if self._elements[-1] in (*_LITERAL, "RS", "RE"):
            self._open("PP")
        if not known:
            self._unknown[len(self._elements) - 1] = text
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
    for raw in text.replace("\r\n", "\n").split("\n"):
        line = before + _COMMENT.sub("", raw)
        if line.endswith("\\") and not line.endswith("\\\\"):
            before = line[:-1]
            continue
        before = ""
        yield line
    if before:  # the page ends within a line
        yield before


def _unconditional(lines: Iterable[str]) -> Iterator[str]:
    """The lines that groff prints; a condition that is not known does not hold."""
    depth = 0  # of braces in what is left out
    held: list[bool] = []  # conditions of `.ie` whose `.el` is yet to come
    for line in lines:
        if depth and not _HEADING.match(line):
            depth = max(0, depth + line.count("\\{") - line.count("\\}"))
            continue
        depth = 0
        shown = line.strip(".' \t") != "\\}"
        while shown and (match := _CONDITION.fullmatch(line)):
            name, rest = match[1], match[2]
            if name == "el":
                shown = not (held and held.pop())
            else:
                condition = _PRINTER.match(rest)
                shown = condition is not None
                rest = rest[condition.end() :] if condition else rest
                if name == "ie":
                    held.append(shown)
            if not shown:
                depth = max(0, line.count("\\{") - line.count("\\}"))
            line = rest.strip().removeprefix("\\{").strip()
            shown = shown and bool(line)
        if shown:
            yield line


def _arguments(rest: str) -> Iterator[str]:
    """The arguments of a macro."""
    for match in _ARGUMENT.finditer(rest):
        yield match[2] if match[1] is None else match[1].replace('""', '"')
