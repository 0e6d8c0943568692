"""Arrays too large for memory: records in files, written and read in pieces."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Array = NDArray[Any]
Numbers = NDArray[np.int64]


class Records:
    """An array (N,) of records in a file, to which records are appended."""

    def __init__(self, path: Path, dtype: DTypeLike) -> None:
        """Create an empty array.

        The caller removes the file.
        """
        self.dtype = np.dtype(dtype)
        self._path = path
        self._count = 0
        path.write_bytes(b"")

    def __len__(self) -> int:
        """Number of records."""
        return self._count

    def append(self, records: Array) -> None:
        """Append records."""
        with self._path.open("ab") as file:
            file.write(np.ascontiguousarray(records, self.dtype).view(np.uint8).data)
        self._count += len(records)

    def read(self, start: int, count: int) -> Array:
        """The records (count,) from `start` on; fewer at the end."""
        count = max(0, min(count, len(self) - start))
        return np.fromfile(self._path, self.dtype, count, offset=start * self.dtype.itemsize)

    def pieces(self, size: int) -> Iterator[Array]:
        """All records, `size` at a time."""
        return (self.read(start, size) for start in range(0, len(self), size))

    def remove(self) -> None:
        """Delete the file."""
        self._path.unlink()


class Parts:
    """Records split into numbered files, to be merged again in their original order."""

    def __init__(self, path: Path, dtype: DTypeLike, count: int) -> None:
        """Create `count` empty parts, whose paths begin with `path`."""
        self.parts = [Records(path.with_name(f"{path.name}{i}"), dtype) for i in range(count)]
        self._read = [0] * count

    def append(self, of: Numbers, records: Array) -> None:
        """Append each record to its part, `of` (n,)."""
        order, ends = self._by_part(of)
        for part, piece in zip(self.parts, np.split(records[order], ends[:-1]), strict=True):
            if len(piece):
                part.append(piece)

    def take(self, of: Numbers) -> Array:
        """Read the next record of each of the parts `of` (n,), in this order."""
        order, ends = self._by_part(of)
        result = np.empty(len(of), self.parts[0].dtype)
        begin = 0
        for i, (part, end) in enumerate(zip(self.parts, ends.tolist(), strict=True)):
            if end > begin:
                result[order[begin:end]] = part.read(self._read[i], end - begin)
                self._read[i] += end - begin
            begin = end
        return result

    def remove(self) -> None:
        """Delete the files."""
        for part in self.parts:
            part.remove()

    def _by_part(self, of: Numbers) -> tuple[Numbers, Numbers]:
        """The order of records by part, and where each part ends in it."""
        return np.argsort(of, kind="stable"), np.bincount(of, minlength=len(self.parts)).cumsum()
