"""Pairs of sentences from paragraphs that have the same name in two languages."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from nlmt.characters import MARKS, folded

_NOT_WORD = re.compile(rf"[^\w{MARKS}]+")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph or heading: its page, its id in the page, its text on one line."""

    page: str
    element: str
    text: str


@dataclass(frozen=True, slots=True)
class SentencePair:
    """A sentence and its translations, of which dev and test may have several; their document."""

    document: str
    source: str
    target: str
    references: tuple[str, ...] = ()

    def compared(self) -> set[str]:
        """The keys for comparison with other pairs: `pair_keys` of its sides."""
        return pair_keys(self.source, self.target)

    def texts(self) -> tuple[str, ...]:
        """The sentence and all its translations."""
        return (self.source, self.target, *self.references)


def join_bitext(
    source: Iterable[Paragraph], target: Iterable[Paragraph]
) -> tuple[list[SentencePair], dict[str, int]]:
    """Join two languages on (page, element id), in the order of the source.

    A pair with equal sides is untranslated, or a name, a key or code, and is dropped. Repeated
    pairs stay; `Extraction` keeps each once.

    Returns:
        The pairs, and the counts `source_paragraphs`, `target_paragraphs`, `without_source`,
        `without_target`, `untranslated`, `joined`.
    """
    targets = {(paragraph.page, paragraph.element): paragraph.text for paragraph in target}
    pairs: list[SentencePair] = []
    paragraphs = without_target = untranslated = 0
    for paragraph in source:
        paragraphs += 1
        translation = targets.get((paragraph.page, paragraph.element))
        if translation is None:
            without_target += 1
        elif translation == paragraph.text:
            untranslated += 1
        else:
            pairs.append(SentencePair(paragraph.page, paragraph.text, translation))
    counts = {
        "source_paragraphs": paragraphs,
        "target_paragraphs": len(targets),
        "without_source": len(targets) - (paragraphs - without_target),
        "without_target": without_target,
        "untranslated": untranslated,
        "joined": len(pairs),
    }
    return pairs, counts


def sentence_key(text: str) -> str:
    """A key that sentences share if they differ only in case, points, spaces and punctuation.

    Sentences with a letter or a digit that are equal after normalising, tokenising and
    lower-casing share it.
    """
    text = folded(text)
    return _NOT_WORD.sub("", text).replace("_", "") or "".join(text.split())


def pair_keys(source: str, target: str) -> set[str]:
    """The keys of a pair for comparison: each side's key with the side's name."""
    return {"source " + sentence_key(source), "target " + sentence_key(target)}
