"""NIST's sgm, as WMT's test sets have it: documents of numbered segments, sources and references.

It is no XML: tags are in any case, attributes without quotation marks, `&` stands for itself.
NIST's XML (mteval) is read too, where a set may name its author for all documents.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from typing import Literal

from typing_extensions import override

from nlmt.characters import has_word
from nlmt.corpora.bitext import SentencePair
from nlmt.corpora.lines import whole_text
from nlmt.corpora.readers import FormatSettings, Reader
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.errors import InputError
from nlmt.settings import REQUIRED, setting

_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)\b([^<>]*)>", re.IGNORECASE)
_EMPTY = re.compile(r"""(^|["'\s])/\s*$""")  # of an element without content: <seg id="2"/>
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_CHARACTER = re.compile(r"&(amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]+")  # a no-break space is text

Key = tuple[str, str]  # document and number of the segment


class SgmFormat(FormatSettings):
    """Documents and segments of NIST's sgm; segments join on both, in whatever order they come."""

    kind: Literal["sgm"] = setting(REQUIRED, "A source set and reference sets.")
    references: tuple[str, ...] = setting(
        (),
        "Names (`sysid`) of the references to take from a file that holds several; empty: each "
        "file holds one.",
    )


class SgmReader(Reader):
    """A source set and one or several references; a `doc` is a document, a `seg` a sentence."""

    settings = SgmFormat

    @override
    def references(self, options: SgmFormat, files: PartFiles) -> int:
        if options.references and len(files.references) > 1:
            raise InputError(
                "references are named in the format and also files of their own",
                path=str(files.references[0]),
                hint="leave out format.references, or name one file",
            )
        return len(options.references) or len(files.references)

    @override
    def pairs(
        self,
        options: SgmFormat,
        files: PartFiles,
        languages: tuple[str, str],
        counts: Counter[str],
        threads: int = 1,
    ) -> Iterator[SentencePair]:
        self.references(options, files)
        source = _one(files.source, options.references[:1])
        targets: list[dict[Key, str]] = []
        for file in files.references:
            for target in _sets(file, options.references):
                _check_same(source, target, files.source, file)
                targets.append(target)
        counts["empty"] += 0
        for key, text in source.items():
            texts = [target[key] for target in targets]
            if all(map(has_word, (text, *texts))):
                yield SentencePair(key[0], text, texts[0], tuple(texts[1:]))
            else:
                counts["empty"] += 1

    @override
    def texts(self, options: SgmFormat, file: TextFile, language: str) -> Iterator[str]:
        return (text for text in _one(file, options.references[:1]).values() if has_word(text))


def _one(file: TextFile, names: Sequence[str]) -> dict[Key, str]:
    """The segments of a source set, or of a named reference in its place."""
    sets = read_sgm(file)
    for name in names:
        if name in sets:
            return sets[name]
    return _only(file, sets)


def _sets(file: TextFile, names: Sequence[str]) -> list[dict[Key, str]]:
    """The named sets of segments of a file, or the only one."""
    sets = read_sgm(file)
    if not names:
        return [_only(file, sets)]
    for name in names:
        if name not in sets:
            raise InputError(
                f"no reference {name!r}", path=str(file), hint=f"it has {', '.join(sets)}"
            )
    return [sets[name] for name in names]


def _only(file: TextFile, sets: dict[str, dict[Key, str]]) -> dict[Key, str]:
    if len(sets) > 1:
        raise InputError(
            f"holds several references, {', '.join(sets)}",
            path=str(file),
            hint="name those to take in format.references",
        )
    return next(iter(sets.values()))


def _check_same(
    source: dict[Key, str], target: dict[Key, str], source_file: TextFile, file: TextFile
) -> None:
    """Raise InputError where a segment of one side is missing from the other."""
    for one, other, lacking in ((source, target, file), (target, source, source_file)):
        for document, number in one:
            if (document, number) not in other:
                raise InputError(
                    f"no segment {number} of document {document!r}",
                    path=str(lacking),
                    hint="source and references must have the same segments",
                )


def read_sgm(file: TextFile) -> dict[str, dict[Key, str]]:
    """The segments of a file by document and number, for each `sysid` in it, in order.

    Raises:
        InputError: no such file, not UTF-8, no segments, or tags that do not match.
    """
    content = whole_text(file)
    if re.match(r"\s*<(\?xml|mteval)\b", content):
        content = _CDATA.sub(lambda section: escape(section[1], quote=False), content)
    sets: dict[str, dict[Key, str]] = {}
    author = system = document = number = ""
    opened: list[str] = []
    begin = 0

    def fault(what: str, at: int) -> InputError:
        return InputError(what, path=str(file), line=content.count("\n", 0, at) + 1)

    def add(text: str, at: int) -> None:
        segments = sets.setdefault(system, {})
        if (document, number) in segments:
            raise fault(f"segment {number} of document {document!r} comes twice", at)
        segments[document, number] = text

    for tag in _TAG.finditer(content):
        closing, name = bool(tag[1]), tag[2].lower()
        if closing:
            if not opened or opened.pop() != name:
                raise fault(f"</{name}> closes what is not open", tag.start())
            if name == "seg":
                add(_plain(content[begin : tag.start()]), tag.start())
            continue
        if name == "seg" and opened[-1:] != ["doc"]:
            raise fault("<seg> outside of a document, or within another", tag.start())
        empty = _EMPTY.search(tag[3]) is not None
        if not empty:
            opened.append(name)
        values = {found[1].lower(): found[2] or found[3] or found[4] or ""
                  for found in _ATTRIBUTE.finditer(tag[3])}  # fmt: skip
        if name in ("refset", "tstset"):
            author = values.get("refid", "") or values.get("sysid", "")
        elif name == "srcset":
            author = ""
        elif name == "doc":
            # Sources have no authors.
            system = "" if opened[:1] == ["srcset"] else values.get("sysid", author)
            document = values.get("docid", "")
        elif name == "seg":
            number, begin = values.get("id", ""), tag.end()
            if not number:
                raise fault("<seg> without an id", tag.start())
            if empty:
                add("", tag.start())
    if opened:
        raise fault(f"<{opened[-1]}> is not closed: truncated?", len(content))
    if not sets:
        raise InputError("no segment in this file", path=str(file), hint="format sgm needs <seg>")
    return sets


def _plain(text: str) -> str:
    """The text of a segment on one line, with the characters that sgm escapes."""
    return _SPACE.sub(" ", _CHARACTER.sub(_character, text)).strip()


def _character(match: re.Match[str]) -> str:
    name = match[1]
    if not name.startswith("#"):
        return _NAMED[name]
    code = int(name[2:], 16) if name[1] == "x" else int(name[1:])
    return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code < 0xE000 else match[0]


SGM = SgmReader()
