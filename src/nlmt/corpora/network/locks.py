"""Locks on servers and destinations, and hashes of first downloads, shared by all processes."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.fields import is_whole_number
from nlmt.io.files import read_lines, write_lines
from nlmt.io.locks import locked

_HASH = re.compile(r"[0-9a-f]{64}")
_HEADER = "address\tbytes\tsha256"


@contextmanager
def place_at(host: str, places: int, folder: Path) -> Iterator[None]:
    """Hold one of a limited number of connections to a host, over all processes of a folder.

    `places` is the number of connections.
    """
    name = re.sub(r"[^A-Za-z0-9.-]", "_", host)
    with locked(*(folder / f".{name}.{place}" for place in range(places))):
        yield


@contextmanager
def alone_at(destination: Path) -> Iterator[bool]:
    """Exclude other processes that want the same file; yield whether one has just had the lock."""
    waited_for: list[str] = []
    lock = destination.with_name(f".{destination.name}.lock")
    with locked(lock, on_wait=waited_for.append):
        yield bool(waited_for)


@dataclass(frozen=True)
class Known:
    """Size and SHA-256 of a file that was downloaded before."""

    size: int
    sha256: str


class LockFile:
    """Sizes and hashes of files for which none is published, by their addresses.

    A table with a line for each address, to be kept with the configuration.
    """

    def __init__(self, path: Path) -> None:
        """Name the file; there may be none yet."""
        self._path = path

    def known(self, address: str) -> Known | None:
        """Return size and hash of the first download of an address; None before it."""
        return self._read().get(address)

    def add(self, address: str, known: Known) -> None:
        """Record a first download; other processes may do so at the same time.

        Raises:
            InputError: the file is damaged, or another process has recorded another file.
        """
        with locked(self._path.with_name(f".{self._path.name}.lock")):
            entries = self._read()
            if entries.setdefault(address, known) != known:
                raise InputError(f"{address}: two downloads are not the same", path=self._path)
            lines = (
                f"{name}\t{entry.size}\t{entry.sha256}" for name, entry in sorted(entries.items())
            )
            write_lines(self._path, [_HEADER, *lines])

    def _read(self) -> dict[str, Known]:
        if not self._path.exists():
            return {}
        found: dict[str, Known] = {}
        for number, line in enumerate(read_lines(self._path), start=1):
            if number == 1 and line == _HEADER:
                continue
            fields = line.split("\t")
            if len(fields) != 3 or not is_whole_number(fields[1]) or not _HASH.fullmatch(fields[2]):
                raise InputError(
                    "an address, a size and a SHA-256 are expected, separated by tabs",
                    path=self._path,
                    line=number,
                    hint="correct or remove the line",
                )
            known = Known(int(fields[1]), fields[2])
            if found.setdefault(fields[0], known) != known:  # as after a merge of two branches
                what = f"{fields[0]} has another size or SHA-256 before"
                hint = "keep the line of the right file"
                raise InputError(what, path=self._path, line=number, hint=hint)
        return found
