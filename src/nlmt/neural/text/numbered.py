"""A text as numbers: sentences one after the other, with their source where there is one."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nlmt.io.affiliation import Positions
from nlmt.io.fields import split_fields
from nlmt.lm.protocol import SourcePositions
from nlmt.neural import _kernel, _text
from nlmt.vocabulary import BEGIN, END, SPECIAL, Vocabulary

BEGIN_ID, END_ID = SPECIAL.index(BEGIN), SPECIAL.index(END)
OUTSIDE = "a position outside its source sentence"

Ids = NDArray[np.int32] | NDArray[np.uint16]
T = TypeVar("T", bound=np.generic)
# Indices (n,) of a stream of sentences; or (n, k), with -1 after the last.
Indices = NDArray[np.int64]
# Reads a row for each of n indices of a stream of sentences.
Look = Callable[[Ids, Indices], NDArray[T]]
# Events, or sentences, that are processed in one step; events that have a source, of which a model
# may have kilobytes for each.
PIECE, GIVEN_PIECE = 1 << 19, 1 << 17


@dataclass(frozen=True, eq=False)
class NumberedText:
    """A text as a stream of events: the words of each sentence, then `</s>`.

    Attributes:
        stream: (events,) ids; two bytes each where the vocabulary is small enough, else four.
        begins: (sentences + 1,); sentence i is stream[begins[i]:begins[i + 1]], `</s>` its last.
        source: what the sentences were translated from, where that is known.
    """

    stream: Ids
    begins: NDArray[np.int64]
    source: "Source | None" = None

    @classmethod
    def from_words(cls, ids: NDArray[np.int32], offsets: NDArray[np.int64]) -> "NumberedText":
        """The text of the sentences ids[offsets[i]:offsets[i + 1]], without `</s>`."""
        return cls(np.insert(ids, offsets[1:], END_ID), offsets + np.arange(len(offsets)))

    @property
    def sentences(self) -> int:
        """Number of sentences."""
        return len(self.begins) - 1

    @property
    def events(self) -> int:
        """Number of words and sentence ends, which a model predicts."""
        return len(self.stream)

    @property
    def ids(self) -> NDArray[np.int32]:
        """(words,) without `</s>`, with `offsets` as `LanguageModel.score_sentences` takes them."""
        return np.delete(self.stream, self.begins[1:] - 1).astype(np.int32)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """(sentences + 1,); sentence i is ids[offsets[i]:offsets[i + 1]]."""
        return self.begins - np.arange(len(self.begins))

    def target_counts(self, vocabulary: Vocabulary) -> NDArray[np.float64]:
        """Number of predictions of each word (V,); ValueError: an id outside the vocabulary."""
        counts = np.zeros(len(vocabulary), dtype=np.int64)
        _text.tally(self.stream, counts)
        return counts.astype(np.float64)

    def windows(self, events: NDArray[np.int64], order: int) -> NDArray[np.int32]:
        """Rows (n, order): the words before each event, oldest first, then its own.

        Positions before the sentence are `<s>`, as in OxLM.
        """
        return _kernel.windows(self.stream, events, order, BEGIN_ID, END_ID)

    def locate(self, events: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Number of the sentence of each event (n,), and its position in it, from 0."""
        sentences = np.searchsorted(self.begins, events, side="right") - 1
        return sentences, events - self.begins[sentences]

    def pad(self, sentences: NDArray[np.int64]) -> NDArray[np.int32]:
        """Sentences as rows of one length: words, `</s>`, then -1."""
        starts = self.begins[sentences]
        sizes = self.begins[sentences + 1] - starts
        columns = np.arange(sizes.max(initial=1))
        inside = columns < sizes[:, None]
        rows = np.full(inside.shape, -1, dtype=np.int32)
        rows[inside] = self.stream[(starts[:, None] + columns)[inside]]
        return rows

    def pieces(self) -> Iterator["NumberedText"]:
        """Consecutive runs of whole sentences, of about `PIECE` or `GIVEN_PIECE` events."""
        first, size = 0, PIECE if self.source is None else GIVEN_PIECE
        while first < self.sentences:
            begin = self.begins[first]
            last = int(np.searchsorted(self.begins, begin + size, side="right")) - 1
            last = max(last, first + 1)
            own = self.begins[first : last + 1]
            source = None if self.source is None else self.source.part(first, last, begin, own[-1])
            yield NumberedText(self.stream[begin : own[-1]], own - begin, source)
            first = last

    @cached_property
    def checksum(self) -> int:
        """CRC-32 of the stream's bytes."""
        return zlib.crc32(np.ascontiguousarray(self.stream).data)

    def filled(self, wanted: int) -> int:
        """Number of sentences with words, counted up to about `wanted`."""
        found = 0
        for first in range(0, self.sentences, PIECE):
            found += int(np.count_nonzero(np.diff(self.begins[first : first + PIECE + 1]) > 1))
            if found >= wanted:
                break
        return found

    def source_positions(self) -> SourcePositions | None:
        """The positions in the source of all events; None where there is no source."""
        if self.source is None:
            return None
        of = np.repeat(np.arange(self.sentences, dtype=np.int32), np.diff(self.begins))
        text = self.source.text
        return SourcePositions(text.ids, text.offsets, of, self.source.position.astype(np.int32))

    def look_around(self, events: NDArray[np.int64], look: Look[T]) -> NDArray[T]:
        """Apply `look` at the source position of each event."""
        assert self.source is not None
        text = self.source.text
        begins = text.begins[self.locate(events)[0]]
        return look(text.stream, _indices(begins, self.source.position[events]))


@dataclass(frozen=True, eq=False)
class Source:
    """The source of the sentences of a text.

    Attributes:
        text: as many sentences.
        position: (events of the target text,) the position in its source sentence that each word
            and `</s>` is affiliated with, or (events, k) those it is linked with; see
            `nlmt.io.affiliation`.
    """

    text: NumberedText
    position: Positions

    def part(self, first: int, last: int, begin: int, end: int) -> "Source":
        """The source of sentences `first` to `last`, which are the events from `begin` to `end`."""
        begins = self.text.begins[first : last + 1]
        text = NumberedText(self.text.stream[begins[0] : begins[-1]], begins - begins[0])
        return Source(text, self.position[begin:end])

    @cached_property
    def checksum(self) -> int:
        """CRC-32 of text and positions."""
        return zlib.crc32(np.ascontiguousarray(self.position).data, self.text.checksum)


def encode(lines: Iterable[str], vocabulary: Vocabulary) -> NumberedText:
    """Number the words of each line; a line without words is a sentence without words."""
    # Line by line: all words of a training text would take twenty times the memory of their ids.
    parts = [vocabulary.lookup(split_fields(line)) for line in lines]
    offsets = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return NumberedText.from_words(np.concatenate([np.zeros(0, np.int32), *parts]), offsets)


def smallest(ids: NDArray[np.int32], words: int) -> Ids:
    """Ids of a vocabulary of so many words in the smallest type."""
    return ids.astype(np.uint16) if id_type(words) is np.uint16 else ids


def id_type(words: int) -> type[np.uint16] | type[np.int32]:
    """The smallest type for the ids of a vocabulary."""
    return np.uint16 if words <= 1 << 16 else np.int32


def as_stream(source: SourcePositions) -> tuple[NDArray[np.int32], Indices]:
    """Source sentences with `</s>` after each, and the index there of each position."""
    stream = np.insert(source.ids, source.offsets[1:], END_ID).astype(np.int32, copy=False)
    begins = source.offsets + np.arange(len(source.offsets))
    position = np.asarray(source.position, np.int64)
    lengths, least = np.diff(source.offsets)[source.of], -(position.ndim > 1)
    if (position < least).any() or (lengths < position.T).any():
        raise ValueError(OUTSIDE)
    return stream, _indices(begins[source.of], position)


def _indices(begins: NDArray[np.int64], position: Positions | NDArray[np.int64]) -> Indices:
    """Indices of positions in sentences that begin at `begins` (n,); -1 where there is no word."""
    if position.ndim == 1:
        return begins + position
    return np.where(position < 0, -1, begins[:, None] + position)


class Texts:
    """Several texts one after the other; their events and their sentences are numbered through."""

    def __init__(self, parts: Sequence[NumberedText]) -> None:
        self.parts = tuple(parts)
        self._events = np.cumsum([0, *(part.events for part in parts)])
        self._sentences = np.cumsum([0, *(part.sentences for part in parts)])

    @property
    def events(self) -> int:
        """Number of words and sentence ends."""
        return int(self._events[-1])

    @property
    def sentences(self) -> int:
        """Number of sentences."""
        return int(self._sentences[-1])

    def windows(self, events: NDArray[np.int64], order: int) -> NDArray[np.int32]:
        """Rows (n, order): the words before each event, oldest first, then its own."""
        rows = np.empty((len(events), order), dtype=np.int32)
        for part, chosen, own in self._of_parts(events, self._events):
            rows[chosen] = part.windows(own, order)
        return rows

    def look_around(self, events: NDArray[np.int64], look: Look[T]) -> NDArray[T]:
        """Apply `look` at the source position of each event; at least one event."""
        found = [
            (chosen, part.look_around(own, look))
            for part, chosen, own in self._of_parts(events, self._events)
        ]
        rows = np.empty((len(events), *found[0][1].shape[1:]), dtype=found[0][1].dtype)
        for chosen, seen in found:
            rows[chosen] = seen
        return rows

    def targets(self, events: NDArray[np.int64]) -> NDArray[np.int32]:
        """The word (n,) that is predicted at each event."""
        result = np.empty(len(events), dtype=np.int32)
        for part, chosen, own in self._of_parts(events, self._events):
            result[chosen] = part.stream[own]
        return result

    def locate(self, events: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Number of the sentence of each event (n,), and its position in it, from 0."""
        sentences, positions = np.empty_like(events), np.empty_like(events)
        for part, chosen, own in self._of_parts(events, self._events):
            sentences[chosen], positions[chosen] = part.locate(own)
        of = np.searchsorted(self._events, events, side="right") - 1
        return sentences + self._sentences[of], positions

    def lengths(self, sentences: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number of events (n,) of each sentence."""
        result = np.empty_like(sentences)
        for part, chosen, own in self._of_parts(sentences, self._sentences):
            result[chosen] = part.begins[own + 1] - part.begins[own]
        return result

    def sentence_events(
        self, sentences: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The events of sentences, one sentence after the other, and the number of each one's."""
        sizes = self.lengths(sentences)
        ends = np.cumsum(sizes)
        events = np.empty(sizes.sum(), dtype=np.int32)
        for part, chosen, own in self._of_parts(sentences, self._sentences):
            found = part.stream[runs(part.begins[own], part.begins[own + 1])]
            events[runs((ends - sizes)[chosen], ends[chosen])] = found
        return events, sizes

    def source_positions(self, sentences: NDArray[np.int64]) -> SourcePositions:
        """The positions of all events of some sentences; source i belongs to sentence i."""
        parts = [
            (part, part.source, chosen, own)
            for part, chosen, own in self._of_parts(sentences, self._sentences)
            if part.source is not None
        ]
        lengths, sizes = np.empty_like(sentences), self.lengths(sentences)
        for _, source, chosen, own in parts:
            lengths[chosen] = source.text.begins[own + 1] - source.text.begins[own] - 1
        offsets, begins = (np.concatenate([[0], np.cumsum(n)]) for n in (lengths, sizes))
        ids = np.empty(offsets[-1], dtype=np.int32)
        position = np.empty((begins[-1], *parts[0][1].position.shape[1:]), dtype=np.int32)
        for part, source, chosen, own in parts:
            words = runs(source.text.begins[own], source.text.begins[own + 1] - 1)
            ids[runs(offsets[:-1][chosen], offsets[1:][chosen])] = source.text.stream[words]
            events = runs(part.begins[own], part.begins[own + 1])
            position[runs(begins[:-1][chosen], begins[1:][chosen])] = source.position[events]
        of = np.repeat(np.arange(len(sentences), dtype=np.int32), sizes)
        return SourcePositions(ids, offsets, of, position)

    def fingerprint(self) -> str:
        """Length and checksum of each text, and of its source."""
        return " ".join(
            f"{part.events}:{part.checksum:08x}"
            + (f":{part.source.checksum:08x}" if part.source is not None else "")
            for part in self.parts
        )

    def _of_parts(
        self, numbers: NDArray[np.int64], firsts: NDArray[np.int64]
    ) -> Iterator[tuple[NumberedText, NDArray[np.int64] | slice, NDArray[np.int64]]]:
        """For each text, the numbers that lie in it, and their values within the text."""
        if len(self.parts) == 1:
            yield self.parts[0], slice(None), numbers
            return
        of = np.searchsorted(firsts, numbers, side="right") - 1
        for i, part in enumerate(self.parts):
            chosen = np.flatnonzero(of == i)
            if len(chosen):
                yield part, chosen, numbers[chosen] - firsts[i]


def runs(begins: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers from each begin up to its end, concatenated."""
    lengths = ends - begins
    return np.repeat(begins - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
