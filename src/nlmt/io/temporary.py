"""Temporary folders in the system's place for them, which go with their process."""

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nlmt.io.locks import Owner

_PREFIX = "nlmt"


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield an empty folder, and remove it at the end.

    Folders that killed processes left there are removed first.
    """
    here = Owner.here()
    place = Path(tempfile.gettempdir())
    for path in place.glob(f"{_PREFIX}.{_machine(here)}.*.*.*"):
        if _owner(path, here).dead:
            shutil.rmtree(path, ignore_errors=True)  # another user's folder stays
    prefix = f"{_PREFIX}.{_machine(here)}.{here.pid}.{here.started}."
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _machine(owner: Owner) -> str:
    """An id that differs between machines and containers, which may share the place."""
    return hashlib.sha256(f"{owner.host} {owner.boot}".encode()).hexdigest()[:12]


def _owner(path: Path, here: Owner) -> Owner:
    """The process of this machine that created a folder."""
    pid, started = path.name.split(".")[2:4]
    numbers = [int(text) if text.isdecimal() else 0 for text in (pid, started)]
    return Owner(here.host, here.boot, numbers[0], numbers[1], here.job, here.unique)
