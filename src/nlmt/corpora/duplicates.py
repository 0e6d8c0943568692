"""Repeated items of a long sequence, found on disk with bounded memory."""

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

_RECORD = 16  # bytes of a hash: no collisions among a billion items
_AT_ONCE = 1 << 22  # records compared in memory


class Duplicates:
    """Writes hashes of items to a file; then `repeated` finds the items that recur."""

    def __init__(self, folder: Path) -> None:
        """Keep the hashes in a folder, which the caller makes and removes."""
        self._path = folder / "hashes"
        self._out: BinaryIO = self._path.open("wb")
        self._count = 0

    def add(self, texts: Sequence[str]) -> None:
        """Add the next item, given by its texts."""
        key = "\n".join(texts).encode()  # each text is a line
        self._out.write(blake2b(key, digest_size=_RECORD).digest())
        self._count += 1

    def repeated(self) -> npt.NDArray[np.bool_]:
        """Whether each item, in the order of adding, has occurred before.

        The array is mapped from a file.
        """
        self._out.close()
        flags = np.memmap(
            self._path.with_name("repeated"),
            dtype=np.bool_,
            mode="w+",
            shape=(max(1, self._count),),
        )
        if self._count:
            records = np.memmap(self._path, dtype=np.uint64, mode="r", shape=(self._count, 2))
            shares = -(-self._count // _AT_ONCE)
            for share in range(shares):
                _flag(records, flags, share, shares)
        return flags[: self._count]


def _flag(
    records: npt.NDArray[np.uint64], flags: npt.NDArray[np.bool_], share: int, shares: int
) -> None:
    """Flag the repeated items among those whose hashes are in one share."""
    chosen: list[npt.NDArray[np.int64]] = []
    for begin in range(0, len(records), _AT_ONCE):
        block = records[begin : begin + _AT_ONCE, 0]
        chosen.append(begin + np.flatnonzero(block % np.uint64(shares) == share))
    places = np.concatenate(chosen)
    # Of equal hashes the first one in the text is kept, so the order of places decides.
    keys = records[places]
    order = np.lexsort((places, keys[:, 1], keys[:, 0]))
    same = (keys[order[1:]] == keys[order[:-1]]).all(axis=1)
    flags[places[order[1:][same]]] = True
