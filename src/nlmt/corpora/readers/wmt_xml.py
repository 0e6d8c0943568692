"""The XML of WMT's test sets since 2021: documents with a source and references, in one file."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from typing_extensions import override

from nlmt.characters import has_word
from nlmt.corpora.archives import open_file
from nlmt.corpora.bitext import SentencePair
from nlmt.corpora.lines import one_line
from nlmt.corpora.readers import FormatSettings, Reader, check_found
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.corpora.xml_events import xml_events
from nlmt.errors import InputError
from nlmt.settings import REQUIRED, setting

_SOURCE = ""  # in the place of a translator's name
NAMELESS = "ref"  # the name of a reference whose translator is not given


class WmtXmlFormat(FormatSettings):
    """Source and references of WMT's XML; system outputs (`hyp`) are not read.

    Documents that are parts of test suites, and segments without a reference, are left out. Where
    a segment lacks one of several references, its first one stands twice.
    """

    kind: Literal["wmt-xml"] = setting(REQUIRED, "Test sets of WMT since 2021.")
    references: tuple[str, ...] = setting(
        (),
        "Names (`translator`) of the references to take, `ref` for those without one; empty: there "
        "is one of each language.",
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
        counts.update({"empty": 0, "without_source": 0, "without_reference": 0})
        width = self.references(options, files)
        for document in _documents_of(files.source, languages, options.references):
            sources, targets = (
                _sides(files.source, document, language, options.references)
                for language in languages
            )
            source = sources[0] if sources else {}
            counts["without_source"] += len(set().union(*targets) - source.keys())
            for number, text in source.items():
                given = [target[number] for target in targets if number in target]
                found = list(filter(has_word, given))
                if not given:
                    counts["without_reference"] += 1
                elif has_word(text) and found:
                    found += found[:1] * (width - len(found))
                    yield SentencePair(document.name, text, found[0], tuple(found[1:]))
                else:
                    counts["empty"] += 1

    @override
    def texts(self, options: WmtXmlFormat, file: TextFile, language: str) -> Iterator[str]:
        for document in _documents_of(file, [language], options.references):
            for side in _sides(file, document, language, options.references)[:1]:
                yield from filter(has_word, side.values())


def _sides(
    file: TextFile, document: _Document, language: str, names: tuple[str, ...]
) -> list[dict[str, str]]:
    """The segments in a language: the source, or its existing references."""
    found = {name: texts for (code, name), texts in document.texts.items() if code == language}
    if _SOURCE in found:
        return [found[_SOURCE]]
    if not names and len(found) > 1:
        raise InputError(
            f"document {document.name!r} has several references, {', '.join(found)}",
            path=str(file),
            line=document.line,
            hint="name those to take in format.references",
        )
    return [found[name] for name in names or tuple(found) if name in found]


def _documents_of(
    file: TextFile, languages: Iterable[str], names: tuple[str, ...]
) -> Iterator[_Document]:
    """The documents of a file, in which there must be the languages and one of the references."""
    found: set[tuple[str, str]] = set()
    for document in _documents(file):
        found |= document.texts.keys()
        yield document
    codes, translators = {code for code, _ in found}, {name for _, name in found} - {_SOURCE}
    check_found(languages, codes, file)
    lacking = [name for name in names if name not in translators]
    if codes and lacking:
        what = f"no reference by {' or '.join(map(repr, lacking))}"
        hint = f"it has {', '.join(sorted(translators))}"
        if len(lacking) == len(names):
            raise InputError(what, path=str(file), hint=hint)
        logging.warning("%s: %s (%s)", file, what, hint)


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
                    author = _SOURCE
                    if event.value == "ref":
                        author = event.attributes.get("translator") or NAMELESS
                    side = document.texts.setdefault((event.attributes.get("lang", ""), author), {})
                elif event.value == "seg":
                    number, text = event.attributes.get("id", ""), []
                    if side is not None and not number:
                        raise InputError("<seg> without an id", path=str(file), line=event.line)
                    if side is not None and document is not None and number in side:
                        what = f"segment {number} of document {document.name!r} comes twice"
                        raise InputError(what, path=str(file), line=event.line)
            elif event.kind == "text":
                text.append(event.value)
            elif event.value == "seg" and side is not None:
                side[number] = one_line(text)
            elif event.value in ("src", "ref"):
                side = None
            elif event.value == "doc" and document is not None:
                if not document.suite:
                    yield document
                document = None


WMT_XML = WmtXmlReader()
