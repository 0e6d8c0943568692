"""Split into train, dev and test by document, without held-out sentences in train."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from nlmt.corpora.bitext import SentencePair, pair_keys
from nlmt.errors import InputError
from nlmt.io.files import read_parallel
from nlmt.settings import Settings, setting

Texts: TypeAlias = tuple[str, ...]  # a sentence and its translations
TokenCounter: TypeAlias = Callable[[str], int]
SMALLER = "ask for smaller dev and test sets, by the key split"

DRAWN = ("test", "dev", "dev2")  # in this order, so that dev2 changes neither of the others


class SplitSettings(Settings):
    """Sentences drawn for tuning and test from a corpus that has no such sets."""

    dev: int = setting(
        850,
        "Approximate number of sentences to tune on; whole documents are taken.",
        ge=1,
        unit="sentences",
    )
    test: int = setting(
        850,
        "Approximate number of sentences to test on; whole documents are taken.",
        ge=1,
        unit="sentences",
    )
    dev2: int = setting(
        850,
        "Approximate number of sentences of the second set to tune on; whole documents are taken.",
        ge=1,
        unit="sentences",
    )
    min_tokens: int = setting(
        4,
        "Smallest number of tokens of a dev or test sentence, on either side: words, never pieces; "
        "in Chinese and Japanese, characters.",
        ge=1,
        unit="tokens",
    )
    max_tokens: int = setting(
        60,
        "Largest number of tokens of a dev or test sentence, on either side, counted alike.",
        ge=1,
        unit="tokens",
    )


class TooLittleTextError(InputError):
    """The documents do not suffice for the requested sizes."""


@dataclass
class Bitext:
    """The parts of a bitext by name, and counts of dropped sentences."""

    parts: dict[str, list[Texts]]
    counts: dict[str, int] = field(default_factory=dict)


def draw(
    remaining: Iterator[str],
    documents: Mapping[str, Sequence[SentencePair]],
    wanted: Collection[str],
    settings: SplitSettings,
    count_tokens: tuple[TokenCounter, TokenCounter],
    shared: Set[str],
) -> Bitext:
    """Take whole documents for test, dev and dev2 until they are full.

    `remaining` are names of documents in the order of drawing, `wanted` those of parts but train;
    sentences with a key in `shared` are never held out. `count_tokens` counts those of a source and
    of a target sentence.

    Raises:
        TooLittleTextError: the documents do not suffice.
    """
    counts = {"held_out_length": 0, "held_out_seen": 0}

    def eligible(document: str) -> Iterator[Texts]:
        own: set[str] = set()
        for pair in documents[document]:
            keys = pair.compared()
            if keys & shared or keys & own:
                counts["held_out_seen"] += 1
            elif not all(
                settings.min_tokens <= count(text) <= settings.max_tokens
                for count, text in zip(count_tokens, (pair.source, pair.target), strict=True)
            ):
                counts["held_out_length"] += 1
            else:
                own |= keys
                yield pair.texts()

    parts: dict[str, list[Texts]] = {}
    for part in DRAWN:
        if part not in wanted:
            continue
        size, found = getattr(settings, part), parts.setdefault(part, [])
        while len(found) < size:
            document = next(remaining, None)
            if document is None:
                raise TooLittleTextError(
                    f"not enough text for {size} {part} sentences: found {len(found)}",
                    hint=f"{SMALLER}, or give more text",
                )
            found.extend(eligible(document))
    return Bitext(parts, counts)


def rank(seed: int, document: str) -> tuple[bytes, str]:
    """Sort key that determines the order in which documents are held out."""
    return hashlib.sha256(f"{seed}\t{document}".encode()).digest(), document


def shared_keys(pairs: Iterable[SentencePair], among: Set[str]) -> set[str]:
    """The keys of source or target, of those in `among`, that occur in several documents."""
    home: dict[str, str] = {}
    return {
        key
        for pair in pairs
        for key in pair.compared() & among
        if home.setdefault(key, pair.document) != pair.document
    }


def seen_keys(texts: Iterable[tuple[Path, Path]], among: Set[str]) -> set[str]:
    """The keys of source or target, of those in `among`, that occur in texts of both sides."""
    return {
        key
        for paths in texts
        for source, target in read_parallel(*paths)
        for key in pair_keys(source, target) & among
    }
