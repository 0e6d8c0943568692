"""Epochs over the training text: their minibatches, in an order that a seed determines."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from nlmt.neural import _kernel
from nlmt.neural.config import NeuralConfig
from nlmt.neural.data.minibatches import Minibatch, SentenceBatch, WindowBatch
from nlmt.neural.data.numbered_text import BEGIN_ID, END_ID, Ids
from nlmt.neural.data.sampling import BATCHES, Order, Sampling
from nlmt.neural.data.source_vectors import SourceEncoder, SourceVectors
from nlmt.neural.data.texts import Texts


class Epoch(Protocol):
    """The minibatches of one epoch.

    Attributes:
        examples: words and sentence ends that are predicted.
    """

    examples: int

    def take(self, done: int, examples: int) -> tuple[list[Minibatch], NDArray[np.int64]]:
        """The next minibatches after `done` examples: at least one, usually up to `examples`.

        `done` lies between minibatches. Also returns their numbers of examples (n,). Only the last
        of them may have fewer than `minibatch` windows.
        """
        ...


class Epochs(Protocol):
    """All epochs of a training."""

    def open(self, number: int) -> Epoch:
        """Epoch `number`, from 0."""
        ...


class WindowEpochs(Epochs):
    """Epochs over n-grams in random order."""

    def __init__(
        self,
        config: NeuralConfig,
        texts: Texts,
        sampling: Sampling,
        encoder: SourceEncoder | None,
        words: int,
    ) -> None:
        self._architecture, self._training = config.architecture, config.training
        self._texts, self._sampling = texts, sampling
        self._encoder, self._words = encoder, words

    @override
    def open(self, number: int) -> "WindowEpoch":
        order = self._sampling.order(self._training.seed, number)
        return WindowEpoch(self._batch, order, self._training.minibatch)

    def _batch(self, events: NDArray[np.int64]) -> WindowBatch:
        """Windows of events; source words are numbered after those of the target."""
        rows = self._texts.windows(events, self._architecture.order)
        if self._encoder is not None:
            found = self._texts.look_around(events, self._encoder.at)
            return WindowBatch(rows, SourceVectors(found, np.arange(len(rows), dtype=np.int32)))
        nothing = SourceVectors.nothing(len(rows))
        if self._architecture.source == "none":
            return WindowBatch(rows, nothing)
        side, words = self._architecture.source_window, self._words

        def look(stream: Ids, indices: NDArray[np.int64]) -> NDArray[np.int32]:
            return _kernel.source_windows(stream, indices, side, BEGIN_ID, END_ID, words)

        source = self._texts.look_around(events, look)
        return WindowBatch(np.concatenate([rows[:, :-1], source, rows[:, -1:]], axis=1), nothing)


class WindowEpoch(Epoch):
    """An epoch over n-grams. A minibatch ends with its buffer."""

    def __init__(
        self, batch: Callable[[NDArray[np.int64]], WindowBatch], order: Order, minibatch: int
    ) -> None:
        self._batch, self._order, self._minibatch = batch, order, minibatch
        self._ends = np.cumsum(order.sizes)
        self.examples = int(self._ends[-1])
        self._open, self._buffer = -1, np.zeros(0, dtype=np.int64)

    @override
    def take(self, done: int, examples: int) -> tuple[list[Minibatch], NDArray[np.int64]]:
        number = int(np.searchsorted(self._ends, done, side="right"))
        if number != self._open:
            self._open, self._buffer = number, self._order.buffer(number)
        first = done - int(self._ends[number]) + len(self._buffer)
        step = max(1, examples // self._minibatch) * self._minibatch
        batch = self._batch(self._buffer[first : first + step])
        begins = np.arange(0, len(batch.rows), self._minibatch)
        parts: list[Minibatch] = [batch.part(i, i + self._minibatch) for i in begins.tolist()]
        return parts, np.diff(begins, append=len(batch.rows))


class SentenceEpochs(Epochs):
    """Epochs over whole sentences; those of a minibatch have similar lengths."""

    def __init__(
        self, config: NeuralConfig, texts: Texts, sampling: Sampling, encoder: SourceEncoder | None
    ) -> None:
        self._training = config.training
        self._texts, self._sampling, self._encoder = texts, sampling, encoder

    @override
    def open(self, number: int) -> "SentenceEpoch":
        order = self._sampling.order(self._training.seed, number)
        return SentenceEpoch(self._texts, order, self._training.minibatch, self._encoder)


class SentenceEpoch(Epoch):
    """An epoch over sentences, which shuffles those of one length and the batches anew."""

    def __init__(
        self, texts: Texts, order: Order, minibatch: int, encoder: SourceEncoder | None
    ) -> None:
        self._encoder = encoder
        self._texts, self._order, self._minibatch = texts, order, minibatch
        # The number of words depends on which sentences are drawn.
        events = [texts.lengths(order.buffer(i)).sum() for i in range(len(order.sizes))]
        self._ends = np.cumsum(events)
        self.examples = int(self._ends[-1])
        self._open = -1

    @override
    def take(self, done: int, examples: int) -> tuple[list[Minibatch], NDArray[np.int64]]:
        number = int(np.searchsorted(self._ends, done, side="right"))
        if number != self._open:
            self._arrange(number)
        done -= int(self._ends[number] - self._done[-1])
        first = int(np.searchsorted(self._done, done))
        last = int(np.searchsorted(self._done, done + examples, side="right")) - 1
        turns = slice(first, max(last, first + 1))
        examples_of = np.diff(self._done)[turns]
        batches = [self._batches[i] for i in self._turn[turns]]
        words = [self._words(sentences) for sentences in batches]
        sources = self._sources(batches, examples_of)
        return list(map(SentenceBatch, words, sources)), examples_of

    def _words(self, sentences: NDArray[np.int64]) -> NDArray[np.int32]:
        """Sentences as rows: `<s>`, words, `</s>`, then -1."""
        padded = self._texts.pad(sentences)
        words = np.empty((padded.shape[0], padded.shape[1] + 1), dtype=np.int32)
        words[:, 0] = BEGIN_ID
        words[:, 1:] = padded
        return words

    def _sources(
        self, batches: Sequence[NDArray[np.int64]], examples: NDArray[np.int64]
    ) -> Iterator[SourceVectors]:
        """The vectors beside each minibatch.

        They are made for all minibatches at once: separately, those of 20 words took half of the
        training time.
        """
        if self._encoder is None:
            yield from map(SourceVectors.nothing, examples.tolist())
            return
        positions = self._texts.source_positions(np.concatenate(batches))
        found = self._encoder.encode(positions)
        for of in np.split(found.of, np.cumsum(examples)[:-1]):
            first = of.min()  # the vectors of a minibatch are contiguous, like its sentences
            yield SourceVectors(found.vectors[first : of.max() + 1], of - first)

    def _arrange(self, number: int) -> None:
        """The minibatches of a buffer, in random order."""
        order = self._order.buffer(number)
        sizes = self._texts.lengths(order)
        by_length = np.argsort(sizes, kind="stable")
        order, sizes = order[by_length], sizes[by_length]
        # Minibatch i has the sentences that end within its range of examples.
        minibatch = (np.cumsum(sizes) - 1) // self._minibatch
        begins = np.flatnonzero(np.diff(minibatch, prepend=-1))
        self._batches = np.split(order, begins[1:])
        self._turn = self._order.random(BATCHES, number).permutation(len(begins))
        self._done = np.concatenate([[0], np.cumsum(np.add.reduceat(sizes, begins)[self._turn])])
        self._open = number


def make_epochs(
    config: NeuralConfig,
    texts: Texts,
    sampling: Sampling,
    encoder: SourceEncoder | None,
    words: int,
) -> Epochs:
    """The epochs of training for the network of a configuration.

    Args:
        config: parts and training.
        texts: for training.
        sampling: of the examples of an epoch.
        encoder: of the source's vectors beside the words, if there are any.
        words: V; words of a window of the source are numbered from there.
    """
    if config.architecture.reads_sentences:
        return SentenceEpochs(config, texts, sampling, encoder)
    return WindowEpochs(config, texts, sampling, encoder, words)
