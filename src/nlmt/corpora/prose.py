"""Prose of a language out of a corpus' text: filters of what documentation holds beside it.

Each filter counts what it leaves out, file by file, in the order in which they apply.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from nlmt.corpora.access import texts_by_file
from nlmt.corpora.duplicates import Duplicates
from nlmt.corpora.held_out import HeldOut
from nlmt.corpora.language import LanguageFilter
from nlmt.corpora.settings import CorpusSettings, FilterSettings

FILTERS = ("short", "symbols", "other_language", "held_out", "near_held_out", "repeated")

_AT_ONCE = 10_000  # sentences whose language is found together
_WORD = re.compile(r"\S+")
# What changes between copies of one phrase: names of code, addresses, numbers.
_NAME = re.compile(r"\S*(?:[\d_()<>=/\\@#$*\[\]{}|]|\w[.:]+\w|[^\W_A-Z][A-Z]|[A-Z]{2})\S*")
_MARK = re.compile(r"[^\w\x00]+")


class ProseFilter:
    """Reads the sentences of a corpus in one language through its filters."""

    def __init__(
        self,
        settings: FilterSettings,
        held_out: Iterable[str],
        bitext: tuple[Iterable[str], Iterable[str]],
    ) -> None:
        """Learn what the filters need.

        Sentences of `held_out`, and those near them, are left out; `bitext` are sentences of the
        language, and of the other language of the pair.
        """
        self._settings = settings
        self._held_out = HeldOut(held_out, settings.near_duplicates)
        self._language = LanguageFilter(*bitext)

    def read(
        self,
        name: str,
        corpus: CorpusSettings,
        language: str,
        known: Iterable[str],
        folder: Path,
    ) -> tuple[Iterator[str], dict[str, Counter[str]]]:
        """Return the sentences that pass, and counts by file.

        The counts are of sentences (`read`, one of each filter, `kept`) and words (the same with
        `_words`). Memory does not grow with the text, which is on disk in between.

        Text that is `known` counts as read before, so that its sentences are not repeated. The
        folder is for temporary files; the caller removes it when the sentences are read.

        Raises:
            InputError: as in `text_of`.
        """
        duplicates = Duplicates(folder)
        known_count = 0
        for sentence in known:
            duplicates.add((phrase_key(sentence),))
            known_count += 1
        counts: dict[str, Counter[str]] = {}
        sizes: list[tuple[str, int]] = []
        path = folder / "sentences"
        with path.open("w", encoding="utf-8", newline="\n") as out:
            for file, texts in texts_by_file(name, corpus, language):
                count = counts.setdefault(file, Counter(dict.fromkeys(_keys(), 0)))
                before = count["kept"]
                for sentence in self._passing(texts, count):
                    duplicates.add((phrase_key(sentence),))
                    out.write(f"{sentence}\n")
                sizes.append((file, count["kept"] - before))
        repeated = duplicates.repeated()[known_count:]
        place = 0
        with path.open(encoding="utf-8", newline="\n") as lines:
            for file, size in sizes:
                for again, line in zip(
                    repeated[place : place + size], islice(lines, size), strict=True
                ):
                    if again:
                        _move(counts[file], "kept", "repeated", line)
                place += size
        return _first(path, repeated), counts

    def _passing(self, texts: Iterable[str], counts: Counter[str]) -> Iterator[str]:
        """The sentences that pass all filters but that of repeated ones."""
        sentences = iter(texts)
        while batch := list(islice(sentences, _AT_ONCE)):
            for sentence, accepted in zip(batch, self._language.accepts(batch), strict=True):
                _add(counts, "read", sentence)
                fault = self._fault(sentence, bool(accepted))
                _add(counts, fault or "kept", sentence)
                if fault is None:
                    yield sentence

    def _fault(self, sentence: str, of_language: bool) -> str | None:
        """The filter that a sentence does not pass, if any."""
        if len(_WORD.findall(sentence)) < self._settings.min_words:
            return "short"
        if letters(sentence) < self._settings.letters:
            return "symbols"
        if not of_language:
            return "other_language"
        if self._held_out.has(sentence):
            return "held_out"
        if self._held_out.has_near(sentence):
            return "near_held_out"
        return None


def letters(sentence: str) -> float:
    """Return the share of letters and spaces among the characters of a sentence."""
    return sum(map(_is_letter, sentence)) / max(1, len(sentence))


def phrase_key(sentence: str) -> str:
    """Return a key that copies of a phrase share which differ in names of code and numbers."""
    return _MARK.sub(" ", _NAME.sub("\x00", sentence).lower()).strip()


def _is_letter(character: str) -> bool:
    return character.isalpha() or character.isspace()


def _keys() -> list[str]:
    names = ("read", *FILTERS, "kept")
    return [key for name in names for key in (name, f"{name}_words")]


def _add(counts: Counter[str], name: str, sentence: str) -> None:
    counts[name] += 1
    counts[f"{name}_words"] += len(_WORD.findall(sentence))


def _move(counts: Counter[str], origin: str, name: str, sentence: str) -> None:
    _add(counts, name, sentence)
    counts[origin] -= 1
    counts[f"{origin}_words"] -= len(_WORD.findall(sentence))


def _first(path: Path, repeated: Iterable[bool]) -> Iterator[str]:
    """The sentences of a file that are no repetitions."""
    with path.open(encoding="utf-8", newline="\n") as lines:
        for again, line in zip(repeated, lines, strict=True):
            if not again:
                yield line.removesuffix("\n")
