"""Remains of interrupted runs: locks and half-written files."""

import os
from collections.abc import Iterator
from pathlib import Path

from nlmt.doctor.check import Check, State
from nlmt.io.files import half_written
from nlmt.io.locks import alive, owner_of

_PLACES = ("results", "data")
_MB = 1e6


def leftovers() -> Iterator[Check]:
    """Yield the checks of the project in the present folder."""
    yield _snakemake_lock(Path(".snakemake"))
    yield from _locks()
    yield _temporary_files()


def _snakemake_lock(folder: Path) -> Check:
    locks = list((folder / "locks").glob("*.lock"))
    if not locks:
        return Check("Snakemake's lock", State.OK, "none")
    running = _snakemakes_here()
    if running:
        numbers = ", ".join(map(str, running))
        return Check("Snakemake's lock", State.OK, f"held by process {numbers}")
    users = {path.stat().st_uid for path in locks} - {os.geteuid()}
    if users and os.geteuid() != 0:
        what = f"of another user ({', '.join(map(str, users))}), whose processes cannot be seen"
        return Check("Snakemake's lock", State.WARNING, what, "ask whether that run goes on")
    remedy = "snakemake --unlock, unless it runs on another machine; tools/recover_slurm.sh"
    return Check("Snakemake's lock", State.FAULT, "left behind by a run that was killed", remedy)


def _snakemakes_here() -> list[int]:
    """Processes of Snakemake in the present folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            command = (entry / "cmdline").read_bytes()
            if b"snakemake" in command and (entry / "cwd").readlink() == Path.cwd():
                found.append(int(entry.name))
        except OSError:  # it has ended, or is another user's
            continue
    return found


def _locks() -> Iterator[Check]:
    """Locks of jobs (`nlmt.io.locks`)."""
    paths = [path for place in _PLACES for path in Path(place).rglob(".*lock")]
    for path in paths:
        owner = owner_of(path)
        if owner is None:
            remedy = f"if nothing runs, remove {path}"
            yield Check("lock", State.WARNING, f"{path} names no owner", remedy)
        elif owner.dead:
            remedy = "none needed: the next job takes it over"
            yield Check("lock", State.WARNING, f"{path}: {owner} has ended", remedy)
        else:
            yield Check("lock", State.OK, f"{path}: held by {owner}")


def _temporary_files() -> Check:
    """Files that a killed process was writing."""
    found = []
    for place in _PLACES:
        for path in Path(place).rglob(".*"):
            writer = half_written(path)
            if writer and path.is_file() and not alive(writer[0]):
                found.append(path)
    if not found:
        return Check("half-written files", State.OK, "none")
    size = sum(path.stat().st_size for path in found) / _MB
    remedy = f"if no other machine works here, remove them, as {found[0]}"
    what = f"{len(found)}, {size:.1f} MB"
    return Check("half-written files", State.WARNING, what, remedy)
