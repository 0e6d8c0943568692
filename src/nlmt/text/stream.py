"""Work on a long text in pieces, over several processes, in order and with bounded memory."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from hashlib import blake2b
from itertools import chain, islice
from multiprocessing import get_context
from typing import TypeVar

import numpy as np
import numpy.typing as npt

CHUNK = 1000  # lines a task; large enough to hide the cost of handing them over

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_chunks(items: Iterable[Item], size: int = CHUNK) -> Iterator[list[Item]]:
    """Yield lists of so many items, the last one shorter."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def ordered_map(
    function: Callable[[Item], Result], tasks: Iterable[Item], threads: int
) -> Iterator[Result]:
    """Yield the results of all tasks, in their order.

    No more tasks are taken than are being worked on, so that memory does not grow with their number
    (an executor's own `map` takes them all at once).

    Args:
        function: what to do with a task; of a module, where there are several processes.
        tasks: what to do it with.
        threads: processes; with one, nothing leaves this process.
    """
    iterator = iter(tasks)
    head = list(islice(iterator, 2))
    if threads == 1 or len(head) < 2:
        yield from map(function, chain(head, iterator))
        return
    with ProcessPoolExecutor(threads, get_context("spawn")) as pool:
        waiting: deque[Future[Result]] = deque(pool.submit(function, task) for task in head)
        try:
            for task in iterator:
                waiting.append(pool.submit(function, task))
                if len(waiting) > 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def word_hashes(words: Iterable[str]) -> npt.NDArray[np.uint64]:
    """A number for each word, equal for equal words in all processes."""
    digests = b"".join(blake2b(word.encode(), digest_size=8).digest() for word in words)
    return np.frombuffer(digests, dtype=np.uint64)


class DistinctCounter:
    """Counts distinct words by their hashes: 8 bytes a word, however often it occurs."""

    _PENDING = 1 << 20

    def __init__(self) -> None:
        self._known = np.zeros(0, dtype=np.uint64)
        self._new: list[npt.NDArray[np.uint64]] = []
        self._pending = 0

    def add(self, hashes: npt.NDArray[np.uint64]) -> None:
        """Count words by `word_hashes`."""
        self._new.append(hashes)
        self._pending += len(hashes)
        if self._pending > self._PENDING:
            self._merge()

    def count(self) -> int:
        """How many distinct words there were."""
        self._merge()
        return len(self._known)

    def _merge(self) -> None:
        self._known = np.unique(np.concatenate([self._known, *self._new]))
        self._new, self._pending = [], 0
