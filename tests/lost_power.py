"""A loss of power: a process is killed, and what the disk did not have yet is taken away."""

import os
from collections.abc import Sequence
from pathlib import Path

from tests.unit.test_fault_points import compile_library


def noting_syncs(folder: Path, syncs: Path) -> dict[str, str]:
    """Environment of processes that note in a file what is on the disk, for `forget`.

    The library that does so (`syncs.cpp`) is compiled into the folder.
    """
    library = compile_library(folder, Path(__file__).with_name("syncs.cpp"))
    return {"LD_PRELOAD": library, "NLMT_SYNCS": str(syncs)}


def forget(folders: Sequence[Path], syncs: Path, flushed: int) -> tuple[int, int]:
    """Empty and remove the files that were not on the disk; how many of each.

    All that is older than `flushed`, in nanoseconds, is there.
    """
    kept: dict[tuple[int, int], int] = {}  # the latest time of content that is on the disk
    written: dict[tuple[int, int], int] = {}  # the time of content whose time was changed
    for line in syncs.read_text().splitlines():
        device, inode, before, after = map(int, line.split())
        if before <= kept.get((device, inode), 0):
            kept[device, inode] = max(after, kept.get((device, inode), 0))
        if before:
            written.setdefault((device, inode), before)
    emptied = removed = 0
    for folder in folders:
        for path in [path for path in folder.rglob("*") if path.is_file()]:
            file, place = path.stat(), path.parent.stat()
            named = written.get((file.st_dev, file.st_ino), file.st_ctime_ns)
            if named > max(kept.get((place.st_dev, place.st_ino), 0), flushed):
                path.unlink()
                removed += 1
            elif file.st_mtime_ns > max(kept.get((file.st_dev, file.st_ino), 0), flushed):
                os.truncate(path, 0)
                emptied += 1
    return emptied, removed
