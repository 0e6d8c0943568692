"""reStructuredText, as docutils reads it, as sequences of blocks: paragraphs, terms, titles.

Of the directives of docutils, Sphinx, Python and CMake, those that hold prose are read; code,
tables, images and comments are not. An unknown directive, or what docutils cannot read in time or
at all, is a block without text, which names it. So is a block with a substitution for which the
page has no text, such as Sphinx' `|release|` or a date.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Directive, Parser, directives, roles
from docutils.utils import Reporter, new_document, unescape

from nlmt.corpora.block import Block

_DOMAINS = ("", "c:", "cpp:", "js:", "py:", "std:")
# Directives, of Sphinx, Python and CMake, whose content is prose and whose arguments, such as
# signatures, are not.
_DESCRIPTIONS = """
    2to3fixer abstractmethod attribute audit-event awaitablefunction awaitablemethod class
    classmethod cmdoption command container coroutinefunction coroutinemethod data decorator
    describe envvar exception function genex glossary macro member method object only opcode option
    pdbcommand rubric staticmethod struct type union var variable
    """.split()  # noqa: SIM905
# Those whose text may begin on their own line, after a version for some.
_NOTES = """
    attention availability caution danger epigraph error hint impl-detail important note seealso tip
    warning
    """.split()  # noqa: SIM905
_VERSIONED = ("deprecated", "versionadded", "versionchanged")
_WITHOUT_PROSE = """
    audit-event-table cmake-module code code-block codeauthor contents csv-table currentmodule date
    default-domain default-role doctest figure graphviz highlight include index limited-api-list
    list-table literalinclude math miscnews module moduleauthor parsed-literal productionlist
    program raw role sectionauthor sourcecode table tabularcolumns testcleanup testcode testoutput
    testsetup toctree
    """.split()  # noqa: SIM905
_SKIPPED = (
    nodes.citation,
    nodes.citation_reference,
    nodes.comment,
    nodes.doctest_block,
    nodes.field_list,
    nodes.figure,
    nodes.footnote,
    nodes.footnote_reference,
    nodes.image,
    nodes.literal_block,
    nodes.option_group,
    nodes.substitution_definition,
    nodes.system_message,
    nodes.table,
)
_UNKNOWN = re.compile(r'Unknown directive type "([^"]+)"')  # a message of docutils
_BLOCKS = (nodes.line, nodes.paragraph, nodes.term, nodes.title)
_LONGEST = 10_000  # characters of lines without an empty one, hardly ever of prose
_LONG_RUN = "\ue000"  # stands for longer ones, as a paragraph; a private character
_TABLE = re.compile(r"\s*(\+-|==)")
_TARGET = re.compile(r"\s*(?<!\x00)<[^<>]*>$")  # docutils escapes by \x00
_ROLE = re.compile(r":([\w.+-]+(?::[\w.+-]+)*):")
_SPACE = re.compile(r"\s+")
_TRIMMED = re.compile(r"\s*\x00\s*")  # where a substitution removes the spaces beside it


def rst_blocks(text: str) -> list[Block]:
    """Return the blocks of a document that have a text, and those of what cannot be read.

    Raises:
        RecursionError: blocks within blocks, many times.
    """
    _register_directives()
    for role in sorted({name.lower() for name in _ROLE.findall(text)}):  # docutils ignores case
        roles.register_local_role(role, _shown)
    settings = get_default_settings(Parser)
    settings.report_level = settings.halt_level = 5  # its messages are nodes, and no output
    settings.file_insertion_enabled = settings.raw_enabled = False
    settings.syntax_highlight = "none"
    settings.trim_footnote_reference_space = True
    document = new_document("", settings)
    Parser().parse(_without_long_runs(text), document)
    blocks = _blocks(document, _Texts(document))
    return [block for block in blocks if block.text or block.unknown]


class _AnyOption(dict[str, object]):
    """Option specification that takes every option."""

    def __bool__(self) -> bool:
        return True

    def __missing__(self, _name: str) -> object:
        return str


class _Note(Directive):  # type: ignore[misc]  # docutils has no types
    """Its content."""

    has_content = True
    option_spec = _AnyOption()

    def run(self) -> list[nodes.Node]:
        found = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, found, match_titles=True)
        return [found]


class _Description(_Note):
    """Its content, without its arguments."""

    optional_arguments = 1
    final_argument_whitespace = True


class _Versioned(_Description):
    """Its text after the version, and its content."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        text = " ".join(self.arguments[self.required_arguments :])
        begun, _ = self.state.inline_text(text, self.lineno)
        return [nodes.paragraph("", "", *begun), *super().run()]


class _TwiceVersioned(_Versioned):
    """Its text after two versions, and its content."""

    required_arguments = 2


class _WithoutProse(_Description):
    """Nothing."""

    def run(self) -> list[nodes.Node]:
        return []


def _without_long_runs(text: str) -> str:
    """Text with a mark for what would take docutils a time that grows with its square.

    Long tables, which are not read anyway, have none.
    """
    kept = []
    for empty, run in groupby(text.split("\n"), key=lambda line: not line.strip()):
        lines = list(run)
        if empty or sum(map(len, lines)) < _LONGEST:
            kept += lines
        elif not _TABLE.match(lines[0]):
            kept.append(lines[0][: -len(lines[0].lstrip())] + _LONG_RUN)
    return "\n".join(kept)


@cache
def _register_directives() -> None:
    """Have docutils know the directives of others; it keeps them by name for the process."""
    for names, directive in (
        (_DESCRIPTIONS, _Description),
        (_NOTES, _Note),
        (_VERSIONED, _Versioned),
        (("deprecated-removed",), _TwiceVersioned),
        (_WITHOUT_PROSE, _WithoutProse),
    ):
        for name in names:
            for domain in _DOMAINS:
                directives.register_directive(domain + name, directive)


def _shown(
    name: str, _raw: str, text: str, _line: int, _inliner: object, *_others: object
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The text of a role without its target; `~` shortens a name to its last part."""
    shown = _TARGET.sub("", text) or text.strip("<>")
    if shown == text and name.lower() in ("pep", "rfc"):  # the number of a document
        shown = f"{name.upper()} {text}"
    shown = shown.rpartition(".")[2] if shown.startswith("~") else shown.removeprefix("!")
    return [nodes.inline("", unescape(shown))], []


class _UndefinedError(Exception):
    """A substitution without a text."""


class _Texts:
    """The texts of a document's blocks, with the substitutions that it defines."""

    def __init__(self, document: nodes.document) -> None:
        self._definitions = document.substitution_defs
        self._names = document.substitution_names  # by their lower case
        self._values: dict[str | None, str | None] = {}

    def block(self, node: nodes.Node) -> Block:
        """The block of a paragraph, term or title."""
        element = "title" if isinstance(node, nodes.title) else "p"
        try:
            text = _TRIMMED.sub("", "".join(self._parts(node)))
        except _UndefinedError as error:
            return Block(element, "", str(error))
        return Block(element, _SPACE.sub(" ", text).strip())

    def _parts(self, node: nodes.Node) -> Iterator[str]:
        """The texts of a node that are read.

        Raises:
            _UndefinedError: as in `_value`.
        """
        for child in node.children:
            if isinstance(child, nodes.Text):
                yield child.astext()
            elif isinstance(child, nodes.substitution_reference):
                yield self._value(child["refname"])
            elif not isinstance(child, _SKIPPED):
                yield from self._parts(child)

    def _value(self, name: str) -> str:
        """The text of a substitution, with marks where spaces beside it are removed.

        Raises:
            _UndefinedError: it has none, or one that is too long.
        """
        known = name if name in self._definitions else self._names.get(name.lower())
        if known is not None and known not in self._values:
            self._values[known] = None  # meanwhile, so that one within itself has no text
            definition = self._definitions[known]
            text = "".join(self._parts(definition)).strip()
            if len(text) <= _LONGEST:
                marks = ("\0" if trim in definition else "" for trim in ("ltrim", "rtrim"))
                self._values[known] = text.join(marks)
        value = self._values.get(known)
        if value is None:
            raise _UndefinedError(f"|{name}|")
        return value


def _blocks(node: nodes.Node, texts: _Texts) -> Iterator[Block]:
    """The blocks of a node, in their order."""
    for child in node.children:
        if isinstance(child, nodes.paragraph) and child.astext() == _LONG_RUN:
            yield Block("unread", "", f"more than {_LONGEST} characters without an empty line")
        elif isinstance(child, _BLOCKS):
            yield texts.block(child)
        elif isinstance(child, nodes.system_message):
            yield Block("unread", "", _unread(child))
        elif not isinstance(child, _SKIPPED):
            yield from _blocks(child, texts)


def _unread(message: nodes.system_message) -> str:
    """Name what docutils has left out by this message, if anything: it then quotes the source."""
    quoted = any(isinstance(part, nodes.literal_block) for part in message.children)
    if message["level"] < Reporter.ERROR_LEVEL or not quoted:
        return ""
    what = message.children[0].astext().partition("\n")[0].rstrip(".:")
    directive = _UNKNOWN.fullmatch(what)
    return f".. {directive[1]}::" if directive else what
