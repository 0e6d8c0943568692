"""TMX: translation units with a variant in each language, in one file."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal

from typing_extensions import override

from nlmt.characters import has_word
from nlmt.corpora.archives import open_file
from nlmt.corpora.bitext import SentencePair
from nlmt.corpora.lines import one_line
from nlmt.corpora.readers import FormatSettings, Reader, check_found
from nlmt.corpora.readers.plain import numbered
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.corpora.xml_events import xml_events
from nlmt.errors import InputError
from nlmt.settings import REQUIRED, setting

# Elements of inline markup whose content is code of the program that wrote the file.
_CODES = frozenset({"bpt", "ept", "it", "ph", "ut"})
# Codes that part words: types of TMX for breaks of lines, pages and columns, and code that says so.
_BREAKS = frozenset({"lb", "pb", "cb", "x-br", "x-lb", "x-tab"})
_BREAK = re.compile(
    r"</?(br|lb|p|tab)\b[^>]*>|\\(n|r|t|line|par|tab)\b|^[ \t\r\n]+$", re.IGNORECASE
)


class TmxFormat(FormatSettings):
    """Translation units of TMX.

    Languages are compared without their regions; of several variants in one, the first with text
    counts.
    """

    kind: Literal["tmx"] = setting(REQUIRED, "Translation memory exchange.")


class TmxReader(Reader):
    """Each unit is a document of its own; the first variant of a language that has text counts."""

    settings = TmxFormat

    @override
    def pairs(
        self,
        options: TmxFormat,
        files: PartFiles,
        languages: tuple[str, str],
        counts: Counter[str],
        threads: int = 1,
    ) -> Iterator[SentencePair]:
        counts.update({"units": 0, "without_source": 0, "without_target": 0})
        found: set[str] = set()
        for number, unit in enumerate(_units(files.source)):
            source, target = (unit.get(language, "") for language in languages)
            found |= unit.keys()
            counts["units"] += 1
            if source and target:
                yield SentencePair(numbered(number), source, target)
            else:
                counts["without_target" if source else "without_source"] += 1
        check_found(languages, found, files.source)

    @override
    def texts(self, options: TmxFormat, file: TextFile, language: str) -> Iterator[str]:
        found: set[str] = set()
        for unit in _units(file):
            found |= unit.keys()
            if unit.get(language):
                yield unit[language]
        check_found([language], found, file)


def _units(file: TextFile) -> Iterator[dict[str, str]]:
    """Text by language of each unit."""
    unit: dict[str, str] = {}
    language, text, code, codes = "", [""], [""], 0
    in_segment = found = parts = False
    with open_file(file) as stream:
        for event in xml_events(stream, str(file)):
            name = event.value.lower() if event.kind != "text" else ""  # capitals in some
            attributes = {key.lower(): value for key, value in event.attributes.items()}
            if event.kind == "text":
                if in_segment:
                    (code if codes else text).append(event.value)
            elif event.kind == "start":
                found = found or name == "tmx"
                if name == "tu":
                    unit = {}
                elif name == "tuv":
                    tag = attributes.get("xml:lang") or attributes.get("lang", "")
                    language = re.split("[-_]", tag)[0].lower()
                elif name == "seg":
                    in_segment, text = True, []
                elif name in _CODES:
                    if not codes:
                        code, parts = [], attributes.get("type", "").lower() in _BREAKS
                    codes += 1
            elif name == "seg":
                in_segment = False
                line = one_line(text)
                if not unit.get(language):
                    unit[language] = line if has_word(line) else ""
            elif name in _CODES:
                codes -= 1
                if not codes and (parts or _BREAK.search("".join(code))):
                    text.append(" ")
            elif name == "tu":
                yield unit
            if not found:
                raise InputError("not a TMX file", path=str(file), line=event.line)


TMX = TmxReader()
