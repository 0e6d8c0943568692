"""Sorting of records too large for memory."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from nlmt.io.records import Array, Numbers, Records


class SortedRuns:
    """Records of several sources, sorted by their field `key`, which is bytes.

    They are sorted in runs that fit into memory; the runs are merged on reading.
    """

    def __init__(self, path: Path, dtype: DTypeLike, size: int) -> None:
        """Create an empty sequence.

        The caller removes the file. `size` records are in memory at a time; if there are more runs,
        one of each.
        """
        self._records = Records(path, dtype)
        self._size = size
        self._runs: list[tuple[int, int, int]] = []  # source, begin and end of each

    def add(self, source: int, pieces: Iterable[Array]) -> None:
        """Add the records of a source, in pieces of at most `size`."""
        waiting: list[Array] = []
        count = 0
        for piece in pieces:
            if waiting and count + len(piece) > self._size:
                self._write(source, waiting)
                waiting, count = [], 0
            waiting.append(piece)
            count += len(piece)
        if waiting:
            self._write(source, waiting)

    def merged(self) -> Iterator[tuple[Numbers, Array]]:
        """Yield records in blocks, with their sources, in the order of their keys.

        Equal keys come in one block, those of earlier runs first, unless a run has one of them
        twice.
        """
        runs = self._runs
        sources = np.array([source for source, _, _ in runs])
        read = [begin for _, begin, _ in runs]
        ahead = [np.empty(0, self._records.dtype)] * len(runs)
        block = max(1, self._size // max(1, len(runs)))
        while True:
            for i, (_, _, end) in enumerate(runs):
                if len(ahead[i]) == 0 and read[i] < end:
                    ahead[i] = self._records.read(read[i], min(block, end - read[i]))
                    read[i] += len(ahead[i])
            # Records that are not read yet come after the least of the last keys of these blocks.
            lasts = [ahead[i]["key"][-1] for i, (_, _, end) in enumerate(runs) if read[i] < end]
            if lasts:
                last = min(lasts)
                counts = [int(np.searchsorted(some["key"], last, "right")) for some in ahead]
            else:
                counts = [len(some) for some in ahead]
            if sum(counts) == 0:
                return
            cut = list(zip(ahead, counts, strict=True))
            taken = np.concatenate([some[:count] for some, count in cut])
            ahead = [some[count:] for some, count in cut]
            order = np.argsort(taken["key"], kind="stable")
            yield np.repeat(sources, counts)[order], taken[order]

    def remove(self) -> None:
        """Delete the file."""
        self._records.remove()

    def _write(self, source: int, pieces: Sequence[Array]) -> None:
        """Write a run."""
        run = np.concatenate(pieces)
        begin = len(self._records)
        self._records.append(run[np.argsort(run["key"], kind="stable")])
        self._runs.append((source, begin, len(self._records)))
