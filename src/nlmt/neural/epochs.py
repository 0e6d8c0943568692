"""What an epoch over the training text is made of: minibatches, in an order that a seed fixes."""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlmt.neural import _kernel
from nlmt.neural.data import BEGIN_ID, END_ID, Ids, Texts, Windows
from nlmt.neural.minibatches import Minibatch, SentenceBatch, WindowBatch
from nlmt.neural.sampling import BATCHES, Order
from nlmt.neural.source_vectors import Beside, SourceVectors
from nlmt.neural.task import Task


class Epoch(Protocol):
    """The minibatches of one epoch.

    Attributes:
        examples: words and sentence ends that are predicted.
    """

    examples: int

    def take(self, done: int, examples: int) -> tuple[list[Minibatch], NDArray[np.int64]]:
        """The next minibatches after `done` examples, at least one, as a rule up to `examples`.

        `done` lies between minibatches. With them comes the number of their examples (n,). Only the
        last of them may be smaller than `minibatch` windows.
        """
        ...


class Epochs(Protocol):
    """All epochs of a task."""

    def open(self, number: int) -> Epoch:
        """Epoch `number`, from 0."""
        ...


class WindowEpochs:
    """Epochs over n-grams in random order."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._windows = Windows(task.texts, task.config.architecture.order)

    def open(self, number: int) -> "WindowEpoch":
        """See `Epochs`."""
        training = self._task.config.training
        order = self._task.sampling.order(training.seed, number)
        return WindowEpoch(self._batch, order, training.minibatch)

    def _batch(self, events: NDArray[np.int64]) -> WindowBatch:
        """Windows of events; source words are numbered on from those of the target."""
        task, rows = self._task, self._windows.take(events)
        if (vectors := task.source_vectors) is not None:
            found = task.texts.look_around(events, vectors.at)
            return WindowBatch(rows, Beside(found, np.arange(len(rows), dtype=np.int32)))
        beside = Beside.nothing(len(rows))
        if task.config.architecture.source == "none":
            return WindowBatch(rows, beside)
        side, words = task.config.architecture.source_window, len(task.vocabulary)

        def look(stream: Ids, places: NDArray[np.int64]) -> NDArray[np.int32]:
            return _kernel.source_windows(stream, places, side, BEGIN_ID, END_ID, words)

        source = task.texts.look_around(events, look)
        return WindowBatch(np.concatenate([rows[:, :-1], source, rows[:, -1:]], axis=1), beside)


class WindowEpoch:
    """See `Epoch`. A minibatch ends with its buffer."""

    def __init__(
        self, batch: Callable[[NDArray[np.int64]], WindowBatch], order: Order, minibatch: int
    ) -> None:
        self._batch, self._order, self._minibatch = batch, order, minibatch
        self._ends = np.cumsum(order.sizes)
        self.examples = int(self._ends[-1])
        self._open, self._buffer = -1, np.zeros(0, dtype=np.int64)

    def take(self, done: int, examples: int) -> tuple[list[Minibatch], NDArray[np.int64]]:
        """See `Epoch`."""
        number = int(np.searchsorted(self._ends, done, side="right"))
        if number != self._open:
            self._open, self._buffer = number, self._order.buffer(number)
        first = done - int(self._ends[number]) + len(self._buffer)
        step = max(1, examples // self._minibatch) * self._minibatch
        batch = self._batch(self._buffer[first : first + step])
        begins = np.arange(0, len(batch.rows), self._minibatch)
        parts: list[Minibatch] = [batch.part(i, i + self._minibatch) for i in begins.tolist()]
        return parts, np.diff(begins, append=len(batch.rows))


class SentenceEpochs:
    """Epochs over whole sentences: those of a minibatch are about equally long."""

    def __init__(self, task: Task) -> None:
        self._task = task

    def open(self, number: int) -> "SentenceEpoch":
        """See `Epochs`."""
        training = self._task.config.training
        order = self._task.sampling.order(training.seed, number)
        task = self._task
        return SentenceEpoch(task.texts, order, training.minibatch, task.source_vectors)


class SentenceEpoch:
    """See `Epoch`. Sentences of one length are mixed anew in each epoch, and so are the batches."""

    def __init__(
        self, texts: Texts, order: Order, minibatch: int, vectors: SourceVectors | None
    ) -> None:
        self._vectors = vectors
        self._texts, self._order, self._minibatch = texts, order, minibatch
        # Which sentences are drawn says how many words there are.
        events = [texts.lengths(order.buffer(i)).sum() for i in range(len(order.sizes))]
        self._ends = np.cumsum(events)
        self.examples = int(self._ends[-1])
        self._open = -1

    def take(self, done: int, examples: int) -> tuple[list[Minibatch], NDArray[np.int64]]:
        """See `Epoch`."""
        number = int(np.searchsorted(self._ends, done, side="right"))
        if number != self._open:
            self._arrange(number)
        done -= int(self._ends[number] - self._done[-1])
        first = int(np.searchsorted(self._done, done))
        last = int(np.searchsorted(self._done, done + examples, side="right")) - 1
        turns = slice(first, max(last, first + 1))
        parts: list[Minibatch] = [self._batch(self._batches[i]) for i in self._turn[turns]]
        return parts, np.diff(self._done)[turns]

    def _batch(self, sentences: NDArray[np.int64]) -> SentenceBatch:
        words = np.insert(self._texts.pad(sentences), 0, BEGIN_ID, axis=1)
        if self._vectors is None:
            return SentenceBatch(words, Beside.nothing(int(np.count_nonzero(words[:, 1:] >= 0))))
        return SentenceBatch(words, self._vectors.beside(self._texts.source_places(sentences)))

    def _arrange(self, number: int) -> None:
        """The minibatches of a buffer, in random order."""
        order = self._order.buffer(number)
        sizes = self._texts.lengths(order)
        by_length = np.argsort(sizes, kind="stable")
        order, sizes = order[by_length], sizes[by_length]
        # Minibatch i has the sentences that end within its share of the examples.
        minibatch = (np.cumsum(sizes) - 1) // self._minibatch
        begins = np.flatnonzero(np.diff(minibatch, prepend=-1))
        self._batches = np.split(order, begins[1:])
        self._turn = self._order.random(BATCHES, number).permutation(len(begins))
        self._done = np.concatenate([[0], np.cumsum(np.add.reduceat(sizes, begins)[self._turn])])
        self._open = number


def make_epochs(task: Task) -> Epochs:
    """The epochs that the network of a task learns from."""
    if task.config.architecture.network == "feed-forward":
        return WindowEpochs(task)
    return SentenceEpochs(task)
