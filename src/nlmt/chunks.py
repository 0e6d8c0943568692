"""Work on many items in pieces, by several processes, in order and in bounded memory."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from multiprocessing import get_context
from typing import TypeVar

CHUNK = 1000  # lines per task; large enough to hide the cost of passing them to a process

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_chunks(items: Iterable[Item], size: int = CHUNK) -> Iterator[list[Item]]:
    """Yield lists of so many items; the last one may be shorter."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def numbered_chunks(
    items: Iterable[Item], size: int = CHUNK, first: int = 0
) -> Iterator[tuple[int, list[Item]]]:
    """Yield the lists of `in_chunks`, each with the number of its first item, from `first` on."""
    for chunk in in_chunks(items, size):
        yield first, chunk
        first += len(chunk)


def ordered_map(
    function: Callable[[Item], Result], tasks: Iterable[Item], threads: int
) -> Iterator[Result]:
    """Yield the results of all tasks, in their order.

    No more tasks are fetched than are being processed, so that memory does not grow with their
    number (an executor's own `map` fetches them all at once).

    Args:
        function: applied to each task; must be a module's function if there are several processes.
        tasks: arguments of the function.
        threads: number of processes; with one, all is done in this process.
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
