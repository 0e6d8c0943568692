"""The examples of an epoch and their order: random, in bounded memory.

Runs of examples that lie together, chunks, are taken in random order; those of several chunks make
up a buffer and are mixed. A corpus that is not larger than a buffer is mixed as a whole.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Examples = NDArray[np.int64]

# Uses of an epoch's random numbers, whose key is seed, epoch, one of these, and the number of a
# buffer.
MIXING, BATCHES, CHUNKS = range(3)


@dataclass(frozen=True)
class Sampling:
    """The examples of several texts, numbered through; each epoch draws its share of each.

    A share is drawn from every chunk, without repetition (Schwenk 2007, for whole texts).

    Attributes:
        sizes: examples of each text.
        shares: above 0, up to 1.
        chunk: examples that lie together.
        buffer: examples that are mixed, about.
        eligible: tells which of some examples (n,) are learnt from; None for all.
    """

    sizes: tuple[int, ...]
    shares: tuple[float, ...]
    chunk: int
    buffer: int
    eligible: Callable[[Examples], NDArray[np.bool_]] | None = None

    def order(self, seed: int, number: int) -> "Order":
        """The examples of epoch `number`; the same for the same seed."""
        return Order(self, (seed, number))

    def drawn(self, turn: Examples) -> Examples:
        """Number of examples of each chunk in an epoch that takes the chunks in this order."""
        result = self._counts.copy()
        for text, share in enumerate(self.shares):
            if share == 1:
                continue
            own = turn[self._text[turn] == text]
            # Rounded sums: the shares of the chunks add up to that of the text.
            counts = np.diff(np.round(share * np.cumsum(result[own])), prepend=0.0)
            if not counts.any() and result[own].any():
                counts[np.argmax(result[own])] = 1
            result[own] = counts
        return result

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return len(self._text)

    @cached_property
    def _borders(self) -> Examples:
        """The first example of each chunk, then the end; no chunk has examples of two texts."""
        ends = np.cumsum(self.sizes)
        parts = [
            np.arange(end - size, end, self.chunk)
            for size, end in zip(self.sizes, ends, strict=True)
        ]
        return np.concatenate([*parts, ends[-1:]])

    @cached_property
    def _text(self) -> Examples:
        """(chunks,) the text of each chunk."""
        return np.searchsorted(np.cumsum(self.sizes), self._borders[:-1], side="right")

    @cached_property
    def _counts(self) -> Examples:
        """Number (chunks,) of examples of each chunk that are learnt from."""
        if self.eligible is None:
            return np.diff(self._borders)
        return np.array([len(self.of_chunk(i)) for i in range(self.chunks)])

    def of_chunk(self, i: int) -> Examples:
        """All examples of chunk i that are learnt from."""
        examples = np.arange(self._borders[i], self._borders[i + 1])
        return examples if self.eligible is None else examples[self.eligible(examples)]


class Order:
    """The examples of one epoch, buffer by buffer.

    `sizes` (buffers,) are the examples of each.
    """

    def __init__(self, sampling: Sampling, key: tuple[int, int]) -> None:
        self._sampling, self._key = sampling, key
        turn = self.random(CHUNKS, 0).permutation(sampling.chunks)
        self._drawn = sampling.drawn(turn)
        ends = np.cumsum(self._drawn[turn])
        count = max(1, -(-int(ends[-1]) // sampling.buffer))
        # Add chunks until a buffer has its share of all examples.
        of = np.maximum(ends - 1, 0) * count // ends[-1]
        self._chunks = np.split(turn, np.flatnonzero(np.diff(of)) + 1)
        self.sizes = np.array([int(self._drawn[chunks].sum()) for chunks in self._chunks])

    def random(self, purpose: int, buffer: int) -> np.random.Generator:
        """Random numbers of the epoch."""
        return np.random.default_rng([*self._key, purpose, buffer])

    def buffer(self, number: int) -> Examples:
        """The examples of a buffer, in random order."""
        random, parts = self.random(MIXING, number), []
        for i in np.sort(self._chunks[number]).tolist():
            examples = self._sampling.of_chunk(i)
            if len(examples) > self._drawn[i]:
                # A copy: the rest of the chunk must not stay in memory.
                examples = random.permutation(examples)[: self._drawn[i]].copy()
            parts.append(examples)
        return random.permutation(np.concatenate(parts))
