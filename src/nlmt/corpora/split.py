"""Train, dev and test by document, with nothing of what is held out in train."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from nlmt.corpora.bitext import SentencePair, sentence_key
from nlmt.errors import InputError

TextPair: TypeAlias = tuple[str, str]
TokenCounter: TypeAlias = Callable[[str], int]


@dataclass(frozen=True)
class SplitConfig:
    """What is held out: about so many sentences, their lengths in tokens of either side.

    A size of 0 leaves that part empty. dev2 is a second set to tune on.
    """

    seed: int = 1
    dev: int = 850
    test: int = 850
    min_tokens: int = 4
    max_tokens: int = 60
    dev2: int = 0


@dataclass
class Bitext:
    """The parts of a bitext, as (source, target), and what was dropped on the way."""

    train: list[TextPair]
    dev: list[TextPair]
    test: list[TextPair]
    counts: dict[str, int] = field(default_factory=dict)
    dev2: list[TextPair] = field(default_factory=list)


def split_by_document(
    pairs: Sequence[SentencePair],
    config: SplitConfig,
    count_source: TokenCounter,
    count_target: TokenCounter,
) -> Bitext:
    """Give whole documents to test, dev and dev2 until they are full, and the rest to train.

    Documents come in the order of a hash of seed and name. Of a held-out document only those
    sentences count that have the wanted length and whose source and target, compared by
    `sentence_key`, stand in no other document; so no sentence of one part is in another, and
    none comes twice in what is held out. Equal pairs of train are counted once.

    Args:
        pairs: all sentence pairs.
        config: sizes, lengths and seed.
        count_source: number of tokens of a source sentence.
        count_target: number of tokens of a target sentence.

    Raises:
        InputError: too little text for the sizes asked for.
    """
    documents: dict[str, list[SentencePair]] = defaultdict(list)
    for pair in pairs:
        documents[pair.document].append(pair)
    order = sorted(documents, key=lambda name: (_rank(config.seed, name), name))
    shared = _shared_keys(pairs)
    counts = {"held_out_length": 0, "held_out_seen": 0}

    def eligible(document: str) -> Iterator[TextPair]:
        seen: set[str] = set()
        for pair in documents[document]:
            keys = {"source " + sentence_key(pair.source), "target " + sentence_key(pair.target)}
            if keys & shared or keys & seen:
                counts["held_out_seen"] += 1
            elif not all(
                config.min_tokens <= length <= config.max_tokens
                for length in (count_source(pair.source), count_target(pair.target))
            ):
                counts["held_out_length"] += 1
            else:
                seen |= keys
                yield pair.source, pair.target

    parts: dict[str, list[TextPair]] = {"test": [], "dev": [], "dev2": []}
    remaining = iter(order)
    for part, size in (("test", config.test), ("dev", config.dev), ("dev2", config.dev2)):
        while len(parts[part]) < size:
            document = next(remaining, None)
            if document is None:
                raise InputError(
                    f"not enough text for {size} {part} sentences: found {len(parts[part])}",
                    hint="ask for smaller dev and test sets, or give more text",
                )
            parts[part].extend(eligible(document))

    train_pairs = [
        (pair.source, pair.target) for document in sorted(remaining) for pair in documents[document]
    ]
    train = list(dict.fromkeys(train_pairs))
    if not train:
        raise InputError(
            "no sentence is left to train on", hint="ask for smaller dev and test sets"
        )
    counts |= {"repeated": len(train_pairs) - len(train)}
    counts |= {"train": len(train), "dev": len(parts["dev"]), "test": len(parts["test"])}
    if config.dev2:
        counts["dev2"] = len(parts["dev2"])
    return Bitext(train, parts["dev"], parts["test"], counts, parts["dev2"])


def _rank(seed: int, document: str) -> bytes:
    return hashlib.sha256(f"{seed}\t{document}".encode()).digest()


def _shared_keys(pairs: Iterable[SentencePair]) -> set[str]:
    """The keys, of source or target, that stand in more than one document."""
    home: dict[str, str] = {}
    shared: set[str] = set()
    for pair in pairs:
        for key in ("source " + sentence_key(pair.source), "target " + sentence_key(pair.target)):
            if home.setdefault(key, pair.document) != pair.document:
                shared.add(key)
    return shared
