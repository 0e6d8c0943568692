"""Epochs over the training text: their minibatches, in an order that a seed determines."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.neural import _kernel
from nlmt.neural.source.vectors import SourceVectors
from nlmt.neural.text.numbered import BEGIN_ID, END_ID, Ids
from nlmt.neural.train.sampling import BATCHES
from nlmt.neural.train.task import Task


@dataclass(frozen=True, eq=False)
class Minibatch:
    """Examples along which an engine takes a step.

    Attributes:
        words: (n, width) n-grams: the words of a context, those of the source, and the word that is
            predicted; or sentences: `<s>`, words, `</s>`, then -1.
        vectors: (r, numbers) of the source.
        vector_of: (n,) the vector beside each n-gram; (n, width - 1) beside each word after `<s>`.
        examples: number of words and sentence ends that are predicted.
    """

    words: NDArray[np.int32]
    vectors: NDArray[np.float32]
    vector_of: NDArray[np.int32]
    examples: int

    @classmethod
    def of_ngrams(
        cls, words: NDArray[np.int32], source: SourceVectors | None = None
    ) -> "Minibatch":
        """N-grams, with the vector beside each."""
        source = source or SourceVectors.nothing(len(words))
        return cls(words, source.vectors, source.of, len(words))

    @classmethod
    def of_sentences(
        cls, events: Ids, sizes: NDArray[np.int64], source: SourceVectors | None = None
    ) -> "Minibatch":
        """Sentences of `sizes` events, one after the other, with the vector beside each event."""
        source = source or SourceVectors.nothing(len(events))
        inside = np.arange(sizes.max()) < sizes[:, None]
        words = np.full((len(sizes), inside.shape[1] + 1), -1, dtype=np.int32)
        words[:, 0] = BEGIN_ID
        words[:, 1:][inside] = events
        vector_of = np.zeros(inside.shape, dtype=np.int32)
        vector_of[inside] = source.of
        return cls(words, source.vectors, vector_of, len(events))


class Epoch(ABC):
    """The minibatches of one epoch.

    Its examples are the words and sentence ends that are predicted.
    """

    examples: int

    @abstractmethod
    def take(self, done: int, examples: int) -> list[Minibatch]:
        """The next minibatches after `done` examples: at least one, usually up to `examples`.

        `done` lies between minibatches. Only the last of them may have fewer than `minibatch`
        windows.
        """


def open_epoch(task: Task, number: int) -> Epoch:
    """Epoch `number` of training, from 0."""
    return (SentenceEpoch if task.config.reads_sentences else WindowEpoch)(task, number)


class WindowEpoch(Epoch):
    """An epoch over n-grams in random order. A minibatch ends with its buffer."""

    def __init__(self, task: Task, number: int) -> None:
        self._task = task
        self._order = task.sampling.order(task.config.seed, number)
        self._ends = np.cumsum(self._order.sizes)
        self.examples = int(self._ends[-1])
        self._open, self._buffer = -1, np.zeros(0, dtype=np.int64)

    @override
    def take(self, done: int, examples: int) -> list[Minibatch]:
        number = int(np.searchsorted(self._ends, done, side="right"))
        if number != self._open:
            self._open, self._buffer = number, self._order.buffer(number)
        size = self._task.config.minibatch
        first = done - int(self._ends[number]) + len(self._buffer)
        rows, source = self._rows(self._buffer[first : first + max(1, examples // size) * size])
        return [
            Minibatch.of_ngrams(
                rows[i : i + size], SourceVectors(source.vectors, source.of[i : i + size])
            )
            for i in range(0, len(rows), size)
        ]

    def _rows(self, events: NDArray[np.int64]) -> tuple[NDArray[np.int32], SourceVectors]:
        """The n-grams of events, and their vectors; source words are numbered after the others."""
        config, texts, encoder = self._task.config, self._task.texts, self._task.encoder
        rows = texts.windows(events, config.order)
        if encoder is not None:
            found = texts.look_around(events, encoder.at)
            return rows, SourceVectors(found, np.arange(len(rows), dtype=np.int32))
        nothing = SourceVectors.nothing(len(rows))
        if config.source == "none":
            return rows, nothing
        side, words = config.source_window, len(self._task.vocabulary)

        def look(stream: Ids, indices: NDArray[np.int64]) -> NDArray[np.int32]:
            return _kernel.source_windows(stream, indices, side, BEGIN_ID, END_ID, words)

        source = texts.look_around(events, look)
        return np.concatenate([rows[:, :-1], source, rows[:, -1:]], axis=1), nothing


class SentenceEpoch(Epoch):
    """An epoch over whole sentences; a minibatch has sentences of similar lengths.

    Sentences of one length, and the minibatches, are shuffled anew.
    """

    def __init__(self, task: Task, number: int) -> None:
        self._task = task
        order = self._order = task.sampling.order(task.config.seed, number)
        # The number of words depends on which sentences are drawn.
        events = [task.texts.lengths(order.buffer(i)).sum() for i in range(len(order.sizes))]
        self._ends = np.cumsum(events)
        self.examples = int(self._ends[-1])
        self._open = -1

    @override
    def take(self, done: int, examples: int) -> list[Minibatch]:
        number = int(np.searchsorted(self._ends, done, side="right"))
        if number != self._open:
            self._arrange(number)
        done -= int(self._ends[number] - self._done[-1])
        first = int(np.searchsorted(self._done, done))
        last = int(np.searchsorted(self._done, done + examples, side="right")) - 1
        turns = slice(first, max(last, first + 1))
        batches = [self._batches[i] for i in self._turn[turns]]
        # Looked up at once: separately, minibatches of 20 words took half of the training time.
        sentences = np.concatenate(batches)
        events, sizes = self._task.texts.sentence_events(sentences)
        ends = np.cumsum(np.diff(self._done)[turns])[:-1]  # of all minibatches but the last
        sizes_of = np.split(sizes, np.cumsum([len(one) for one in batches])[:-1])
        sources = self._sources(sentences, ends)
        return list(map(Minibatch.of_sentences, np.split(events, ends), sizes_of, sources))

    def _sources(
        self, sentences: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Iterator[SourceVectors | None]:
        """The vectors beside each minibatch, where the events of all but the last one end."""
        encoder = self._task.encoder
        if encoder is None:
            yield from [None] * (len(ends) + 1)
            return
        found = encoder.encode(self._task.texts.source_positions(sentences))
        for of in np.split(found.of, ends):
            first = of.min()  # the vectors of a minibatch are contiguous, like its sentences
            yield SourceVectors(found.vectors[first : of.max() + 1], of - first)

    def _arrange(self, number: int) -> None:
        """The minibatches of a buffer, in random order."""
        order = self._order.buffer(number)
        sizes = self._task.texts.lengths(order)
        by_length = np.argsort(sizes, kind="stable")
        order, sizes = order[by_length], sizes[by_length]
        # Minibatch i has the sentences that end within its range of examples.
        minibatch = (np.cumsum(sizes) - 1) // self._task.config.minibatch
        begins = np.flatnonzero(np.diff(minibatch, prepend=-1))
        self._batches = np.split(order, begins[1:])
        self._turn = self._order.random(BATCHES, number).permutation(len(begins))
        self._done = np.concatenate([[0], np.cumsum(np.add.reduceat(sizes, begins)[self._turn])])
        self._open = number
