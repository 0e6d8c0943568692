"""Documentation with the same pages in each language, joined block by block.

A page is used if its elements match in both languages; if only its headings match, its matching
sections are used. A translated manual page ends with a section about its translators.
"""

import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field
from typing_extensions import override

from nlmt.chunks import ordered_map
from nlmt.corpora.archives import members
from nlmt.corpora.bitext import SentencePair, sentence_key
from nlmt.corpora.block import Block
from nlmt.corpora.page_blocks import Markup, page_blocks, sections
from nlmt.corpora.readers import FormatSettings, Reader
from nlmt.corpora.sentences import sentences
from nlmt.corpora.text_files import PartFiles, TextFile
from nlmt.errors import InputError
from nlmt.settings import REQUIRED, setting

_WORD = re.compile(r"[^\W\d_]+")
_LONG = 6  # words from which a text's untranslated words are more than names
_SHARED = 0.7

# The name of a page, and the number of its pattern among `paths`, in which names are unique.
Page: TypeAlias = tuple[str, int]

PagePattern: TypeAlias = Annotated[
    str,
    Field(
        pattern=r"^[^{}]*(\{language\}[^{}]*\{page\}|\{page\})[^{}]*$",
        examples=["usr/share/help/{language}/gnome-help/{page}.page"],
    ),
]


class PagesFormat(FormatSettings):
    """Pages of documentation in an archive, a package or a folder."""

    kind: Literal["pages"] = setting(REQUIRED, "Pages with the same structure in each language.")
    markup: Markup = setting(REQUIRED, "Markup of the pages.")
    paths: tuple[PagePattern, ...] = setting(
        REQUIRED,
        "Names of the pages, with `{language}` for the name of the language and `{page}` for the "
        "part that both languages share.",
        min_length=1,
    )
    names: dict[str, str] = setting(
        {}, "Names of languages in `paths` that are not their codes: {en: C, zh: zh_CN}."
    )
    sentences: bool = setting(
        False,
        "Split blocks into sentences, by the rules of Moses; those of a bitext where both sides "
        "have the same number.",
    )

    def pattern(self, language: str) -> re.Pattern[str]:
        """The pattern of a language's page names; group i is the page by the ith of `paths`."""
        name = re.escape(self.names.get(language, language))
        patterns = [
            re.escape(page).replace(r"\{language\}", name).replace(r"\{page\}", "(.+)")
            for page in self.paths
        ]
        return re.compile("|".join(patterns))


class PagesReader(Reader):
    """Reads pages as documents, blocks as sentences."""

    settings = PagesFormat

    @override
    def pairs(
        self,
        options: PagesFormat,
        files: PartFiles,
        languages: tuple[str, str],
        counts: Counter[str],
        threads: int = 1,
    ) -> Iterator[SentencePair]:
        both = (files.source, files.references[0])
        source, target = (
            dict(_pages(options, file, language, threads))
            for file, language in zip(both, languages, strict=True)
        )
        joined = join_pages(source, target, options.markup, counts)
        return _split(joined, languages, counts) if options.sentences else iter(joined)

    @override
    def texts(self, options: PagesFormat, file: TextFile, language: str) -> Iterator[str]:
        return (text for page in self.documents(options, file, language) for text in page)

    @override
    def documents(
        self, options: PagesFormat, file: TextFile, language: str, threads: int = 1
    ) -> Iterator[list[str]]:
        if options.sentences:  # page by page, as packages of documentation are large
            for _, blocks in _pages(options, file, language, threads):
                yield [text for block in blocks for text in sentences(block.text, language)]
        else:
            pages = dict(_pages(options, file, language, threads))
            for page in sorted(pages):
                yield [block.text for block in pages[page] if block.text]


def _pages(
    options: PagesFormat, file: TextFile, language: str, threads: int
) -> Iterator[tuple[Page, list[Block]]]:
    """The name and the blocks of each page of a language, in the order of the archive."""
    pattern = options.pattern(language)
    none = True
    unknown: list[str] = []
    contents = (
        (name, content, options.markup, file.path)
        for name, content in members(file.path, pattern.fullmatch)
    )
    for name, blocks in ordered_map(_read_page, contents, threads):
        match = pattern.fullmatch(name)
        assert match is not None
        assert match.lastindex is not None
        none = False
        unknown += (block.unknown for block in blocks if block.unknown)
        yield (match[match.lastindex], match.lastindex), blocks
    if unknown:
        logging.warning(
            "%s: %d blocks with unknown characters, macros, directives, substitutions or faults, "
            "left out: %s",
            file.path,
            len(unknown),
            ", ".join(sorted(set(unknown))),
        )
    if none:
        raise InputError(
            f"no page of language {language!r}",
            path=file.path,
            hint="see format.paths and format.names of the corpus",
        )


def _read_page(page: tuple[str, bytes, Markup, Path]) -> tuple[str, list[Block]]:
    """The name and the blocks of a page, given by its name, content, markup and archive."""
    name, content, markup, path = page
    return name, page_blocks(content, markup, f"{path}/{name}")


def _split(
    pairs: Iterable[SentencePair], languages: tuple[str, str], counts: Counter[str]
) -> Iterator[SentencePair]:
    """The sentences of paragraphs that have the same number in both languages; the others whole.

    `joined` in the counts becomes the number of these.
    """
    for pair in pairs:
        source, target = (
            list(sentences(text, language))
            for text, language in zip((pair.source, pair.target), languages, strict=True)
        )
        if len(source) != len(target):
            yield pair
            continue
        counts["joined"] += len(source) - 1
        for one, other in zip(source, target, strict=True):
            yield SentencePair(pair.document, one, other)


def join_pages(
    source: dict[Page, list[Block]],
    target: dict[Page, list[Block]],
    markup: Markup,
    counts: Counter[str],
) -> list[SentencePair]:
    """Join pages of two languages, sorted by name, block by block.

    A pair with equal, or nearly equal, sides is untranslated and is dropped.

    Args:
        source: blocks of each page.
        target: the same in the other language.
        markup: of the pages.
        counts: gets `source_pages`, `target_pages`; of the source: `pages_missing` in the target,
            `pages_empty` (of manual pages: links by `.so`, and those in mdoc), `sections_differing`
            and the blocks in them, `blocks_differing`; `blocks_unknown`, with unknown characters,
            macros, directives or faults in either language; `untranslated` and `joined` pairs.
    """
    counts.update({"source_pages": len(source), "target_pages": len(target)})
    counts.update(dict.fromkeys(("pages_missing", "pages_empty"), 0))
    counts.update(dict.fromkeys(("sections_differing", "blocks_differing", "blocks_unknown"), 0))
    counts.update(dict.fromkeys(("without_source", "without_target", "untranslated", "joined"), 0))
    pairs: list[SentencePair] = []
    for page in sorted(source):
        if page not in target:
            counts["pages_missing"] += 1
            continue
        counts["pages_empty"] += not source[page]
        for one, other in _alike(source[page], target[page], markup, counts):
            if one.unknown or other.unknown:
                counts["blocks_unknown"] += 1
            elif bool(one.text) != bool(other.text):
                counts["without_target" if one.text else "without_source"] += 1
            elif one.text and _untranslated(one.text, other.text):
                counts["untranslated"] += 1
            elif one.text:
                counts["joined"] += 1
                pairs.append(SentencePair(page[0], one.text, other.text))
    return pairs


def _alike(
    source: list[Block], target: list[Block], markup: Markup, counts: Counter[str]
) -> Iterator[tuple[Block, Block]]:
    """The pairs of corresponding blocks."""
    if _elements(source) == _elements(target):
        yield from zip(source, target, strict=True)
        return
    one, other = sections(source, markup), sections(target, markup)
    if markup == "man" and len(one) != len(other):
        one, other = _without_translators(one, other)
    if [_elements(section[:1]) for section in one[1:]] != [
        _elements(section[:1]) for section in other[1:]
    ]:
        counts["sections_differing"] += len(one)
        counts["blocks_differing"] += len(source)
        return
    for first, second in zip(one, other, strict=True):
        if _elements(first) == _elements(second):
            yield from zip(first, second, strict=True)
        else:
            counts["sections_differing"] += 1
            counts["blocks_differing"] += len(first)


def _without_translators(
    source: list[list[Block]], target: list[list[Block]]
) -> tuple[list[list[Block]], list[list[Block]]]:
    """The sections, without the last one of a side that has one more."""
    shorter = min(len(source), len(target))
    if max(len(source), len(target)) == shorter + 1:
        return source[:shorter], target[:shorter]
    return source, target


def _elements(blocks: list[Block]) -> list[str]:
    return [block.element for block in blocks]


def _untranslated(source: str, target: str) -> bool:
    """Whether both sides are the same text.

    References and quotation marks may depend on the page's language: long texts count as the same
    if most of their words are.
    """
    if sentence_key(source) == sentence_key(target):
        return True
    words = [Counter(_WORD.findall(text.lower())) for text in (source, target)]
    shortest = min(side.total() for side in words)
    return shortest >= _LONG and (words[0] & words[1]).total() > _SHARED * shortest


PAGES = PagesReader()
