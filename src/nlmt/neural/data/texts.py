"""Several texts as numbers, one after the other."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from nlmt.lm.protocol import SourcePositions
from nlmt.neural.data.numbered_text import Look, NumberedText, T


class Texts:
    """Several texts one after the other; their events and their sentences are numbered through.

    Attributes:
        parts: the texts.
    """

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

    def pad(self, sentences: NDArray[np.int64]) -> NDArray[np.int32]:
        """Sentences as rows of one length: words, `</s>`, then -1."""
        rows = np.full((len(sentences), self.lengths(sentences).max(initial=1)), -1, np.int32)
        for part, chosen, own in self._of_parts(sentences, self._sentences):
            padded = part.pad(own)
            rows[chosen, : padded.shape[1]] = padded
        return rows

    def source_positions(self, sentences: NDArray[np.int64]) -> SourcePositions:
        """The positions of all events of some sentences, source i being that of sentence i."""
        found: list[tuple[NDArray[np.int64], ...]] = []
        for part, chosen, own in self._of_parts(sentences, self._sentences):
            assert part.source is not None
            numbers = np.arange(len(sentences))[chosen]
            text = part.source.text
            words = runs(text.begins[own], text.begins[own + 1] - 1)
            events = runs(part.begins[own], part.begins[own + 1])
            lengths = text.begins[own + 1] - 1 - text.begins[own]
            sizes = part.begins[own + 1] - part.begins[own]
            found.append(
                (
                    np.repeat(numbers, lengths),
                    text.stream[words].astype(np.int64),
                    np.repeat(numbers, sizes),
                    part.source.position[events].astype(np.int64),
                )
            )
        source_of, words, of, position = (
            np.concatenate(parts) for parts in zip(*found, strict=True)
        )
        by_source, by_event = np.argsort(source_of, kind="stable"), np.argsort(of, kind="stable")
        lengths = np.bincount(source_of, minlength=len(sentences))
        return SourcePositions(
            words[by_source].astype(np.int32),
            np.concatenate([[0], np.cumsum(lengths)]),
            of[by_event].astype(np.int32),
            position[by_event].astype(np.int32),
        )

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
        """For each text, which of the numbers lie in it, and what they are within the text."""
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
