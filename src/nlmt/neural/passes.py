"""What a pass over the training text is made of: minibatches, in an order that a seed fixes."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlmt.neural.data import BEGIN_ID, Windows
from nlmt.neural.task import Task

# A minibatch: windows (n, order); or sentences (n, longest + 2) with `<s>` and `</s>`, -1 after.
Minibatch = NDArray[np.int32]


class Pass(Protocol):
    """The minibatches of one pass.

    Attributes:
        examples: words and sentence ends that are predicted.
    """

    examples: int

    def take(self, done: int, examples: int) -> tuple[list[Minibatch], NDArray[np.int64]]:
        """The next minibatches after `done` examples, at least one, as a rule up to `examples`.

        `done` lies between minibatches. With them comes the number of their examples (n,).
        """
        ...


class Passes(Protocol):
    """All passes of a task."""

    def open(self, number: int) -> Pass:
        """Pass `number`, from 0."""
        ...


class WindowPasses:
    """Passes over n-grams in random order."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._windows = Windows(task.texts, task.config.architecture.order)

    def open(self, number: int) -> "WindowPass":
        """See `Passes`."""
        task = self._task
        order = task.sampling.indices(task.config.training.seed, number)
        order = order[task.trained[self._windows.targets(order)]]
        return WindowPass(self._windows, order, task.config.training.minibatch)


class WindowPass:
    """See `Pass`."""

    def __init__(self, windows: Windows, order: NDArray[np.int64], minibatch: int) -> None:
        self.examples = len(order)
        self._windows, self._order, self._minibatch = windows, order, minibatch

    def take(self, done: int, examples: int) -> tuple[list[Minibatch], NDArray[np.int64]]:
        """See `Pass`."""
        step = max(1, examples // self._minibatch) * self._minibatch
        rows = self._windows.take(self._order[done : done + step])
        parts = [rows[i : i + self._minibatch] for i in range(0, len(rows), self._minibatch)]
        return parts, np.array([len(part) for part in parts], dtype=np.int64)


class SentencePasses:
    """Passes over whole sentences: those of a minibatch are about equally long."""

    def __init__(self, task: Task) -> None:
        self._task = task

    def open(self, number: int) -> "SentencePass":
        """See `Passes`."""
        return SentencePass(self._task, number)


class SentencePass:
    """See `Pass`. Sentences of one length are mixed anew in each pass, and so are the batches."""

    def __init__(self, task: Task, number: int) -> None:
        training = task.config.training
        self._texts = task.texts
        order = task.sampling.indices(training.seed, number)
        sizes = task.texts.lengths(order)
        by_length = np.argsort(sizes, kind="stable")
        self._order, sizes = order[by_length], sizes[by_length]
        self.examples = int(sizes.sum())
        # Minibatch i has the sentences that end within its share of the examples.
        minibatch = (np.cumsum(sizes) - 1) // training.minibatch
        begins = np.flatnonzero(np.diff(minibatch, prepend=-1))
        self._ends = np.append(begins, len(order))[1:]
        self._begins = begins
        random = np.random.default_rng([training.seed, number, 1])
        self._turn = random.permutation(len(begins))
        self._sizes = np.add.reduceat(sizes, begins)[self._turn]
        self._done = np.concatenate([[0], np.cumsum(self._sizes)])

    def take(self, done: int, examples: int) -> tuple[list[Minibatch], NDArray[np.int64]]:
        """See `Pass`."""
        first = int(np.searchsorted(self._done, done))
        last = int(np.searchsorted(self._done, done + examples, side="right")) - 1
        turns = slice(first, max(last, first + 1))
        parts = [
            np.insert(
                self._texts.pad(self._order[self._begins[i] : self._ends[i]]), 0, BEGIN_ID, axis=1
            )
            for i in self._turn[turns]
        ]
        return parts, self._sizes[turns]


def make_passes(task: Task) -> Passes:
    """The passes that the network of a task learns from."""
    if task.config.architecture.network == "feed-forward":
        return WindowPasses(task)
    return SentencePasses(task)
