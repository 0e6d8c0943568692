"""Numbers of distinct words, counted by several processes."""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
import numpy.typing as npt


def word_hashes(words: Iterable[str]) -> npt.NDArray[np.uint64]:
    """A hash of each word, which is the same in all processes."""
    digests = b"".join(blake2b(word.encode(), digest_size=8).digest() for word in words)
    return np.frombuffer(digests, dtype=np.uint64)


class DistinctCounter:
    """Counts distinct words by their hashes, in 8 bytes per distinct word."""

    _PENDING = 1 << 20

    def __init__(self) -> None:
        self._known = np.zeros(0, dtype=np.uint64)
        self._new: list[npt.NDArray[np.uint64]] = []
        self._pending = 0

    def add(self, hashes: npt.NDArray[np.uint64]) -> None:
        """Add words, given by `word_hashes`."""
        self._new.append(hashes)
        self._pending += len(hashes)
        if self._pending > self._PENDING:
            self._merge()

    def count(self) -> int:
        """Number of distinct words."""
        self._merge()
        return len(self._known)

    def _merge(self) -> None:
        self._known = np.unique(np.concatenate([self._known, *self._new]))
        self._new, self._pending = [], 0
