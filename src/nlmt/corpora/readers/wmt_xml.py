"""The XML of WMT's test sets since 2021: documents with a source and references, in one file."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from typing_extensions import override

from nlmt.corpora.archives import open_file
from nlmt.corpora.bitext import SentencePair
from nlmt.corpora.readers import FormatSettings, Reader
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.corpora.xml_events import xml_events
from nlmt.errors import InputError
from nlmt.settings import REQUIRED, setting

_SPACE = re.compile(r"[ \t\r\n]+")
_SOURCE = ""  # in the place of a translator's name


class WmtXmlFormat(FormatSettings):
    """Source and references of WMT's XML; what systems wrote (`hyp`) is not read.

    Documents that are parts of test suites, and segments without a reference, are left out.
    """

    kind: Literal["wmt-xml"] = setting(REQUIRED, "Test sets of WMT since 2021.")
    references: tuple[str, ...] = setting(
        (),
        "Names (`translator`) of the references to take; empty: there is one of each language.",
    )


@dataclass
class _Document:
    """The segments of a document by number, for each language and translator."""

    name: str
    line: int
    suite: bool
    texts: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)


class WmtXmlReader(Reader):
    """Either side may be the one that was translated."""

    settings = WmtXmlFormat

    @override
    def references(self, options: WmtXmlFormat, files: PartFiles) -> int:
        return len(options.references) or 1

    @override
    def pairs(
        self,
        options: WmtXmlFormat,
        files: PartFiles,
        languages: tuple[str, str],
        counts: Counter[str],
        threads: int = 1,
    ) -> Iterator[SentencePair]:
        file = files.source
        counts.update({"empty": 0, "without_reference": 0})
        for document in _documents(file):
            (source,) = _sides(file, document, languages[0], options.references[:1])
            targets = _sides(file, document, languages[1], options.references)
            for number, text in source.items():
                texts = [target.get(number) for target in targets]
                if None in texts:
                    counts["without_reference"] += 1
                elif text and all(texts):
                    found = [text for text in texts if text]
                    yield SentencePair(document.name, text, found[0], tuple(found[1:]))
                else:
                    counts["empty"] += 1

    @override
    def texts(self, options: WmtXmlFormat, file: TextFile, language: str) -> Iterator[str]:
        for document in _documents(file):
            (side,) = _sides(file, document, language, options.references[:1])
            yield from (text for text in side.values() if text)


def _sides(
    file: TextFile, document: _Document, language: str, names: tuple[str, ...]
) -> list[dict[str, str]]:
    """The segments in a language: the source, or its references."""
    found = {name: texts for (code, name), texts in document.texts.items() if code == language}
    what = f"document {document.name!r} has no {language}"
    if not found:
        raise InputError(what, path=str(file), line=document.line)
    if _SOURCE in found:
        return [found[_SOURCE]]
    if not names and len(found) > 1:
        raise InputError(
            f"document {document.name!r} has several references, {', '.join(found)}",
            path=str(file),
            line=document.line,
            hint="name those to take in format.references",
        )
    for name in names:
        if name not in found:
            raise InputError(
                f"{what} by {name!r}",
                path=str(file),
                line=document.line,
                hint=f"it has {', '.join(found)}",
            )
    return [found[name] for name in names or tuple(found)]


def _documents(file: TextFile) -> Iterator[_Document]:
    """The documents of a file, one after the other."""
    document: _Document | None = None
    side: dict[str, str] | None = None
    number, text = "", [""]
    with open_file(file) as stream:
        for event in xml_events(stream, str(file)):
            if event.kind == "start":
                if event.value == "doc":
                    suite = "testsuite" in event.attributes
                    document = _Document(event.attributes.get("id", ""), event.line, suite)
                elif event.value in ("src", "ref") and document is not None:
                    key = (event.attributes.get("lang", ""), _name(event.value, event.attributes))
                    side = document.texts.setdefault(key, {})
                elif event.value == "seg":
                    number, text = event.attributes.get("id", ""), []
            elif event.kind == "text":
                text.append(event.value)
            elif event.value == "seg" and side is not None:
                side[number] = _SPACE.sub(" ", "".join(text)).strip()
            elif event.value in ("src", "ref"):
                side = None
            elif event.value == "doc" and document is not None:
                if not document.suite:
                    yield document
                document = None


def _name(element: str, attributes: object) -> str:
    """The author of a side; the source has none."""
    if element == "src":
        return _SOURCE
    assert isinstance(attributes, dict)
    return str(attributes.get("translator") or "ref")


WMT_XML = WmtXmlReader()
