"""Prose of a language out of a corpus' text: filters of what documentation holds beside it.

Each filter counts what it leaves out, file by file, in the order in which they apply.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from nlmt.characters import MARKS, UNSPACED, folded
from nlmt.corpora.access import documents_by_file
from nlmt.corpora.duplicates import Duplicates
from nlmt.corpora.held_out import HeldOut
from nlmt.corpora.language import LanguageFilter
from nlmt.corpora.settings import CorpusSettings, FilterSettings

FILTERS = ("short", "symbols", "other_language", "held_out", "near_held_out", "repeated")
COUNTED = ("read", *FILTERS, "kept")

_AT_ONCE = 10_000  # sentences whose language is found together
_FOREIGN = 0.2  # share of sentences in a third language from which a document is left out
_WORD = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
# What changes between copies of one phrase: names of code, addresses, numbers.
_NAME = re.compile(r"\S*(?:[\d_()<>=/\\@#$*\[\]{}|]|\w[.:]+\w|[^\W_A-Z][A-Z]|[A-Z]{2})\S*")
_NO_WORD = re.compile(rf"[^\w\x00{MARKS}]+")
_MARKS = re.compile(f"[{MARKS}]+")


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
        threads: int = 1,
    ) -> tuple[Iterator[str], dict[str, Counter[str]]]:
        """Return the sentences that pass, and counts by file.

        The counts are of `documents`, `documents_empty` among them, sentences (`read`, one of each
        filter, `kept`) and words (the same with `_words`). Memory does not grow with the text,
        which is on disk in between.

        Text that is `known` counts as read before, so that its sentences are not repeated. The
        folder is for temporary files; the caller removes it when the sentences are read. The
        result does not depend on the processes to use, at most `threads`.

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
            for file, documents in documents_by_file(name, corpus, language, threads):
                count = counts.setdefault(file, Counter(dict.fromkeys(_keys(), 0)))
                before = count["kept"]
                for sentence in self._passing(documents, count):
                    duplicates.add((phrase_key(sentence),))
                    out.write(f"{sentence}\n")
                sizes.append((file, count["kept"] - before))
        repeated = duplicates.repeated()[known_count:]
        files = (file for file, size in sizes for _ in range(size))
        with path.open(encoding="utf-8", newline="\n") as lines:
            for file, again, line in zip(files, repeated, lines, strict=True):
                if again:
                    _add(counts[file], "repeated", line)
                    _add(counts[file], "kept", line, -1)
        return _first(path, repeated), counts

    def _passing(self, documents: Iterable[Sequence[str]], counts: Counter[str]) -> Iterator[str]:
        """The sentences that pass all filters but that of repeated ones."""
        for batch in _batches(documents, counts):
            texts = [sentence for document in batch for sentence in document]
            accepted = self._language.accepts(texts)
            third = ~accepted
            third[third] = self._language.unlike_other(
                [text for text, of_language in zip(texts, accepted, strict=True) if not of_language]
            )
            place = 0
            for document in batch:
                own = slice(place, place := place + len(document))
                faults = [
                    self._form(sentence) or (None if of_language else "other_language")
                    for sentence, of_language in zip(document, accepted[own], strict=True)
                ]
                judged = [fault in (None, "other_language") for fault in faults]
                foreign = third[own][judged].sum() >= max(1, _FOREIGN * sum(judged))
                for sentence, fault in zip(document, faults, strict=True):
                    if fault is None:
                        fault = "other_language" if foreign else self._seen(sentence)
                    _add(counts, "read", sentence)
                    _add(counts, fault or "kept", sentence)
                    if fault is None:
                        yield sentence

    def _form(self, sentence: str) -> str | None:
        """The filter of form that a sentence does not pass, if any."""
        if len(_WORD.findall(sentence)) < self._settings.min_words:
            return "short"
        if letters(sentence) < self._settings.letters:
            return "symbols"
        return None

    def _seen(self, sentence: str) -> str | None:
        """The filter of held-out sentences that a sentence does not pass, if any."""
        if self._held_out.has(sentence):
            return "held_out"
        if self._held_out.has_near(sentence):
            return "near_held_out"
        return None


def letters(sentence: str) -> float:
    """Return the share of letters, with their marks, and spaces among a sentence's characters."""
    plain = _MARKS.sub("", sentence)
    found = sum(character.isalpha() or character.isspace() for character in plain)
    return (found + len(sentence) - len(plain)) / max(1, len(sentence))


def phrase_key(sentence: str) -> str:
    """Return a key that copies of a phrase share which differ in names of code and numbers."""
    return _NO_WORD.sub(" ", folded(_NAME.sub("\x00", sentence))).strip()


def _batches(
    documents: Iterable[Sequence[str]], counts: Counter[str]
) -> Iterator[list[Sequence[str]]]:
    """The documents with a text, so many at once that they have `_AT_ONCE` sentences."""
    batch: list[Sequence[str]] = []
    size = 0
    for document in documents:
        counts["documents"] += 1
        counts["documents_empty"] += not document
        batch.append(document)
        size += len(document)
        if size >= _AT_ONCE:
            yield batch
            batch, size = [], 0
    yield batch


def _keys() -> list[str]:
    words = [key for name in COUNTED for key in (name, f"{name}_words")]
    return ["documents", "documents_empty", *words]


def _add(counts: Counter[str], name: str, sentence: str, times: int = 1) -> None:
    counts[name] += times
    counts[f"{name}_words"] += times * len(_WORD.findall(sentence))


def _first(path: Path, repeated: Iterable[bool]) -> Iterator[str]:
    """The sentences of a file that are no repetitions."""
    with path.open(encoding="utf-8", newline="\n") as lines:
        for again, line in zip(repeated, lines, strict=True):
            if not again:
                yield line.removesuffix("\n")
