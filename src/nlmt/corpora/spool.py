"""Sentence pairs on disk, to be read repeatedly, and in the order of their documents."""

import heapq
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from nlmt.corpora.bitext import SentencePair
from nlmt.corpora.split import (
    Bitext,
    SplitSettings,
    TokenCounter,
    TooLittleTextError,
    draw,
    rank,
    seen_keys,
    shared_keys,
)

_PAIRS_AT_ONCE = 200_000  # sorted in memory, some 100 MB
_CANDIDATES = 8  # pairs kept in memory for each one to draw, at first


class Spool:
    """Pairs in a file, in the order of reading."""

    def __init__(self, pairs: Iterable[SentencePair], folder: Path) -> None:
        """Write the pairs into a folder, which the caller makes and removes."""
        self._folder = folder
        self._path = folder / "pairs"
        with self._path.open("w", encoding="utf-8") as out:
            out.writelines(map(_line, pairs))

    def __iter__(self) -> Iterator[SentencePair]:
        """All pairs."""
        return _read(self._path)

    def by_document(self, left_out: Collection[str]) -> Callable[[], Iterator[SentencePair]]:
        """Sort the pairs by their documents' names, without some documents.

        Returns:
            A function that yields them each time it is called.
        """
        remaining = (pair for pair in self if pair.document not in left_out)
        runs: list[Path] = []
        while block := list(islice(remaining, _PAIRS_AT_ONCE)):
            block.sort(key=lambda pair: pair.document)  # stable, like merging
            runs.append(self._folder / f"run{len(runs)}")
            with runs[-1].open("w", encoding="utf-8") as out:
                out.writelines(map(_line, block))
        return lambda: heapq.merge(*map(_read, runs), key=lambda pair: pair.document)

    def draw(
        self,
        wanted: Collection[str],
        settings: SplitSettings,
        count_tokens: tuple[TokenCounter, TokenCounter],
        seed: int,
        others: Sequence[tuple[Path, Path]] = (),
    ) -> tuple[Bitext, set[str]]:
        """Assign whole documents to test, dev and dev2, in memory of a few times their size.

        Documents come in the order of a hash of seed and name. Of a held-out document, only those
        sentences are used that have the wanted length and whose source and target, compared by
        `sentence_key`, occur in no other document; so no sentence of one part is in another, and
        none occurs twice in the held-out parts.

        Sentences of `others`, texts by source and target, are never held out;
        `nlmt.corpora.split.draw` describes the other arguments.

        Returns:
            The parts, and the names of the drawn documents.

        Raises:
            InputError: too little text for the requested sizes.
        """
        most = max(1, _CANDIDATES * sum(getattr(settings, part) for part in wanted))
        while True:
            documents, complete = self._first_documents(seed, most)
            names = iter(documents)
            keys = {key for pairs in documents.values() for one in pairs for key in one.compared()}
            shared = shared_keys(self, keys) | seen_keys(others, keys)
            try:
                drawn = draw(names, documents, wanted, settings, count_tokens, shared)
            except TooLittleTextError:
                if complete:
                    raise
                most *= 4
            else:
                return drawn, set(documents).difference(names)

    def _first_documents(
        self, seed: int, most: int
    ) -> tuple[Mapping[str, list[SentencePair]], bool]:
        """The first documents by `rank`, with about `most` pairs; whether they are all."""
        found: dict[str, list[SentencePair]] = {}
        last: list[tuple[bytes, str]] = []  # ranks of the documents found, sorted
        held, limit = 0, None
        name, place = "", rank(seed, "")
        for pair in self:
            if pair.document != name:
                name, place = pair.document, rank(seed, pair.document)
            if limit is not None and place >= limit:
                continue
            if name not in found:
                found[name] = []
                last.append(place)
            found[name].append(pair)
            held += 1
            if held > 2 * most:
                last.sort()
                while held - len(found[last[-1][1]]) >= most:
                    limit = last.pop()
                    held -= len(found.pop(limit[1]))
        return {one: found[one] for _, one in sorted(last)}, limit is None


def _line(pair: SentencePair) -> str:
    return json.dumps([pair.document, *pair.texts()], ensure_ascii=False) + "\n"


def _read(path: Path) -> Iterator[SentencePair]:
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            document, source, target, *references = json.loads(line)
            yield SentencePair(document, source, target, tuple(references))
