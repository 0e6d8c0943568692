"""Files of other formats that are given where plain text, one sentence a line, is expected."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.files import read_lines

_HEAD = 100  # lines that tell the format
_TABLE = 10  # lines that are a table if all have equally many columns
_CORPUS = "as a corpus, with format: {}, nlmt reads it"
_TOOLKIT = "make TMX of it with {} of translate-toolkit"
_ELEMENTS = {  # outermost ones
    "tmx": ("TMX", _CORPUS.format("tmx")),
    **dict.fromkeys(("srcset", "refset", "tstset", "mteval"), ("sgm", _CORPUS.format("sgm"))),
    "dataset": ("XML", "if it is a test set of WMT: " + _CORPUS.format("wmt-xml")),
    "xliff": ("XLIFF", f"{_TOOLKIT.format('xliff2po and po2tmx')}; {_CORPUS.format('tmx')}"),
}
_MARKUP = ("XML or HTML", "write its sentences to a text file, one a line")
_PO = ("gettext PO", f"{_TOOLKIT.format('po2tmx')}; {_CORPUS.format('tmx')}")
_JSON = ("JSON", "write the text of one language to a file, one sentence a line: jq -r .text FILE")
_COLUMNS = "write the sentences of one language to a file, one a line"
_TABS = ("a table with tabs", f"{_COLUMNS}: cut -f 1 FILE")
_RETURNS = ("carriage returns instead of line ends", r"tr '\r' '\n' < FILE > ANOTHER")
_CSV = ("CSV", f"{_COLUMNS}, without the quotes of CSV")

# The outermost element, which another follows, and what may come before it.
_BEGIN = re.compile(
    r"(?P<declared>(<\?xml|<!doctype)\s[^>]*>\s*)?(<!--((?!-->).)*-->\s*|<[?!][a-z][^>]*>\s*)*"
    r"<(\w+:)?(?P<element>[\w.-]+)(\s[^<>]*)?>\s*<",
    re.DOTALL | re.IGNORECASE,
)
_ENTRY = re.compile(r'(msgctxt|msgid|msgid_plural|msgstr|msgstr\[\d+\])?\s*".*"')
_KEY = r'"([^"\\\n]|\\.)+"\s*:'
_OBJECT = re.compile(rf"\{{\s*{_KEY}.*\}}")
_NESTED = re.compile(rf"(\[\s*\{{\s*|\{{\s*\n\s*){_KEY}")


def only_sentences(lines: Iterable[str], name: Path | str) -> Iterator[str]:
    """Yield the lines of a text, which is called `name` in messages.

    Raises:
        InputError: the first lines are certainly in another format, such as XLIFF, PO or JSON.
    """
    lines = iter(lines)
    head = list(islice(lines, _HEAD))
    _refuse_other_format(head, name)
    yield from chain(head, lines)


def check_text(path: Path) -> None:
    """Refuse a file as `only_sentences`; what cannot be read is left to its reader."""
    head: list[str] = []
    with suppress(InputError):
        head += islice(read_lines(path), _HEAD)
    _refuse_other_format(head, path)


def _refuse_other_format(head: Sequence[str], name: Path | str) -> None:
    found = _format_of(head, str(name))
    if found is not None:
        what, hint = found
        raise InputError(f"not a sentence a line, but {what}", path=name, hint=hint)


def _format_of(head: Sequence[str], name: str) -> tuple[str, str] | None:
    """The format, other than plain text, of the first lines of a file, and what to do."""
    filled = [line.strip() for line in head if line.strip()]
    entries = [line for line in filled if not line.startswith("#")]
    text = "\n".join(filled)
    begin = _BEGIN.match(text)
    if begin and (begin["declared"] or begin["element"].lower() in _ELEMENTS):
        return _ELEMENTS.get(begin["element"].lower(), _MARKUP)
    if entries and entries[0].startswith("msg") and all(map(_ENTRY.fullmatch, entries)):
        return _PO
    if filled and (_NESTED.match(text) or all(map(_OBJECT.fullmatch, filled))):
        return _JSON
    if len(head) == 1 and "\r" in head[0].strip("\r"):
        return _RETURNS
    columns = {line.strip("\t").count("\t") for line in head if line.strip()}
    if len(filled) >= _TABLE and len(columns) == 1 and columns != {0}:
        return _TABS
    if filled and name.removesuffix(".gz").endswith(".csv"):
        return _CSV if all(re.search("[,;\t]", line) for line in filled) else None
    return None
