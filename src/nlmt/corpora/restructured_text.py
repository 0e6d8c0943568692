"""reStructuredText as sequences of blocks: paragraphs, items of lists, titles.

Of directives, those that hold prose are read; code, tables, images and comments are not.
"""

import re
from collections.abc import Iterator

from nlmt.corpora.block import Block

HEADINGS = frozenset({"title"})

# Directives whose content is prose for readers; in `c:function`, Sphinx' domain does not count.
_PROSE = frozenset(
    """
    admonition attention attribute caution class classmethod cmdoption command container danger data
    decorator deprecated describe envvar epigraph error exception function glossary hint impl-detail
    important macro member method note object only opcode option rubric seealso sidebar staticmethod
    struct tip topic type union var versionadded versionchanged warning
    """.split()  # noqa: SIM905
)
# Those of these whose text may begin on their own line, after a version for some.
_BEGUN = frozenset(
    """
    attention caution danger epigraph error hint impl-detail important note seealso tip warning
    """.split()  # noqa: SIM905
)
_VERSIONED = frozenset({"deprecated", "versionadded", "versionchanged"})
_TITLE = re.compile(r"([-=~^\"'#*+.:_<>`!])\1{2,}")
_TABLE = re.compile(r"[-=+|:]{2,}[-=+|: ]*")
_DIRECTIVE = re.compile(r"\.\. +(?:\|[^|]+\| +)?(?:[\w-]+:)*([\w-]+) ?::(?: |$)")
_ITEM = re.compile(r"(?:[-*+\u2022]|\(?(?:\d+|#|[a-zA-Z])[.)])(\s+)(?=\S)")
_FIELD = re.compile(r":[^:`]+:(?: |$)")
_ROLE = re.compile(r":[\w:+.-]+:`([^`]+)`")
_LITERAL = re.compile(r"``(.+?)``")
_LINK = re.compile(r"`([^`]+)`(?:__?)?")
_TARGET = re.compile(r"\s*(?<!\\)<[^<>]*>$")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,2})(?=\S)(.+?)(?<=\S)\1(?![\w*])")
_NOTE = re.compile(r"\s?\[(?:\d+|#\w*|\*)\]_")
_REFERENCE = re.compile(r"(?<![\w_])([^\W_](?:\w*[^\W_])?)__?(?=[\s.,;:)]|$)")
_SUBSTITUTION = re.compile(r"\|(\w[\w .-]*)\|_{0,2}")
_ESCAPED = re.compile(r"\\(.)")
_SPACE = re.compile(r"\s+")


def rst_blocks(text: str) -> list[Block]:
    """Return the blocks of a document that have a text."""
    found = []
    for element, lines in _paragraphs(text.expandtabs(8).split("\n")):
        plain = inline_text(" ".join(lines))
        if plain:
            found.append(Block(element, plain))
    return found


def inline_text(text: str) -> str:
    """Return a paragraph without inline markup."""
    text = _ROLE.sub(lambda match: _shown(match[1], shortened=True), text)
    text = _LITERAL.sub(r"\1", text)
    text = _LINK.sub(lambda match: _shown(match[1]), text)
    text = _NOTE.sub("", text)
    text = _EMPHASIS.sub(r"\2", text)
    text = _SUBSTITUTION.sub(r"\1", _REFERENCE.sub(r"\1", text))
    if text.endswith("::"):
        text = f" {text}"[:-1].removesuffix(" :")  # nothing is left of a mark alone
    return _SPACE.sub(" ", _ESCAPED.sub(r"\1", text)).strip()


def _shown(text: str, *, shortened: bool = False) -> str:
    """The text of a link or role, without its target; `~` shortens a name to its last part."""
    shown = _TARGET.sub("", text) or text.strip("<>")
    if shortened and shown.startswith("~"):
        return shown.rpartition(".")[2]
    return shown.removeprefix("!") if shortened else shown


def _paragraphs(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The paragraphs and titles of a document."""
    paragraph: list[str] = []
    indent = 0  # of the paragraph
    skipped: int | None = None  # what is indented further belongs to no prose
    literal = False  # the next indented lines are, as the paragraph ends with ::
    options = False  # directly below a directive
    table = False
    for number, raw in enumerate(lines):
        stripped = raw.strip()
        depth = len(raw) - len(raw.lstrip())
        if not stripped:
            if paragraph:
                yield "p", paragraph
                literal = paragraph[-1].endswith("::")
                paragraph = []
            options, table = False, False
            continue
        if skipped is not None:
            if depth > skipped:
                continue
            skipped = None
        if literal:
            literal = False
            if depth > indent:
                skipped = indent
                continue
        if options and _FIELD.match(stripped):
            continue
        options = False
        if not paragraph and (table or _starts_table(stripped, lines, number)):
            table = True
            continue
        if _TITLE.fullmatch(stripped):
            if len(paragraph) == 1:
                yield "title", paragraph
            elif paragraph:
                yield "p", paragraph
            paragraph = []
            continue
        item = _ITEM.match(stripped)
        if item:  # a directive or another block may begin in it
            if paragraph:
                yield "p", paragraph
                paragraph = []
            depth += item.end()
            stripped = stripped[item.end() :]
        if stripped.startswith(".. ") or stripped == "..":
            if paragraph:
                yield "p", paragraph
                paragraph = []
            directive = _DIRECTIVE.match(stripped)
            if directive is None or directive[1] not in _PROSE:
                skipped = depth
            elif text := _begun(directive[1], stripped[directive.end() :].strip()):
                paragraph = [text]
                indent = _content_indent(depth, lines[number + 1 : number + 2])
            else:
                options = True
            continue
        if stripped.startswith(">>>") or _FIELD.match(stripped):
            if paragraph:
                yield "p", paragraph
                paragraph = []
            skipped = depth if stripped.startswith(":") else None
            table = stripped.startswith(">>>")  # up to the next empty line
            continue
        if paragraph and depth != indent:
            yield "p", paragraph
            paragraph = []
        if not paragraph:
            indent = depth
        paragraph.append(stripped.removeprefix("| "))
    if paragraph:
        yield "p", paragraph


def _begun(directive: str, argument: str) -> str:
    """The text that a directive has on its own line."""
    if directive in _VERSIONED:
        return argument.partition(" ")[2].strip()
    return argument if directive in _BEGUN else ""


def _content_indent(depth: int, following: list[str]) -> int:
    """The indent of the content of a directive that begins on its own line."""
    below = following[0] if following else ""
    own = len(below) - len(below.lstrip())
    return own if below.strip() and own > depth else depth + 3


def _starts_table(line: str, lines: list[str], number: int) -> bool:
    """Whether a line at the beginning of a paragraph is the border of a table."""
    if line == "::" or not _TABLE.fullmatch(line):
        return False
    if line.startswith("+-") or " " in line:
        return True
    # A title with a line above it as long as the one below.
    below = lines[number + 2].strip() if number + 2 < len(lines) else ""
    return not _TITLE.fullmatch(below)
