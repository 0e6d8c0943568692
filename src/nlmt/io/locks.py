"""Locks between processes, on one machine or on several that share a file system.

A lock is a file that one process creates exclusively, which is atomic on local file systems and on
NFS, where `flock` may be missing. It names its owner, who writes a new count into it every few
seconds. A lock is taken over when its owner is a dead process of this machine, or when its content
has not changed for `STALE_SECONDS` by the clock of the waiting process: the clocks of two machines
are never compared. A process that was suspended for longer than that finds its lock taken, and
gives no file its name any more (`check_held`), and nor do the processes that it started for its
work (`with_locks`).
"""

import json
import logging
import os
import socket
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from nlmt.errors import InputError

log = logging.getLogger(__name__)

BEAT_SECONDS = 15.0
# Longer than NFS caches file attributes (60 s), and than a busy process may starve a thread.
STALE_SECONDS = 300.0
_POLL_SECONDS = 0.2
_held: dict[Path, "Owner"] = {}  # absolute paths of this process' locks
_OF_PARENT = "NLMT_LOCKS"  # environment variable, set by `with_locks`
_JOB_VARIABLES = ("SLURM_JOB_ID", "LSB_JOBID", "PBS_JOBID", "JOB_ID")


@dataclass(frozen=True)
class Owner:
    """The process that holds a lock.

    Attributes:
        host: name of its machine.
        boot: id of the machine's boot and of its set of process ids, which differs between
            containers.
        pid: of the process.
        started: when the process started, in ticks since the boot, to distinguish it from a later
            one with the same id. 0 if the system does not say.
        job: its number in the batch system; empty outside one.
        unique: differs for each lock.
    """

    host: str
    boot: str
    pid: int
    started: int
    job: str
    unique: str

    @classmethod
    def here(cls) -> "Owner":
        """This process as the owner of a new lock."""
        job = next((os.environ[name] for name in _JOB_VARIABLES if os.environ.get(name)), "")
        pid = os.getpid()
        return cls(socket.gethostname(), _boot(), pid, _start_of(pid), job, uuid.uuid4().hex)

    @property
    def of_this_boot(self) -> bool:
        """Whether it is a process of this machine since its start, which the system knows."""
        return self.boot == _boot() and self.host == socket.gethostname()

    @property
    def dead(self) -> bool:
        """Whether it was a process of this machine that has ended; False if unknown."""
        if not self.of_this_boot:
            return False
        if not alive(self.pid):
            return True
        started = _start_of(self.pid)
        return 0 not in (started, self.started) and started != self.started

    def __str__(self) -> str:
        """The owner, in words, for messages."""
        job = f", job {self.job}" if self.job else ""
        return f"process {self.pid} on {self.host}{job}"


def alive(pid: int) -> bool:
    """Whether this machine has a process of this number, be it one that /proc does not show."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):  # the latter: an id that no process can have
        return False
    except PermissionError:  # another user's
        pass
    return True


@contextmanager
def locked(
    *paths: Path, wait: bool = True, on_wait: Callable[[str], None] | None = None
) -> Iterator[None]:
    """Hold the lock at a path, or the first free one of several.

    Args:
        paths: of lock files; the one held is removed at the end.
        wait: whether to wait for other processes that hold them; if not, only as long as it is not
            known whether one is alive, as after a loss of power.
        on_wait: called once with the owner before waiting; by default the owner is logged.

    Raises:
        InputError: other processes hold the locks and `wait` is false, or the folder is not
            writable.
    """
    owner = Owner.here()
    # The process may go to another folder while it holds the lock.
    on_wait = on_wait or (_log_waiting if wait else _log_watching)
    path = _acquire(paths, owner, wait, on_wait).absolute()
    stop = threading.Event()
    beat = threading.Thread(target=_beat, args=(path, owner, stop), daemon=True)
    beat.start()
    _held[path] = owner
    try:
        yield
    finally:
        del _held[path]
        stop.set()
        beat.join()
        if owner_of(path) == owner:
            path.unlink(missing_ok=True)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Create a folder and lock it against other processes that call this function.

    Raises:
        InputError: another process holds the lock, or the folder is not writable.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"the folder cannot be made ({error.strerror})"
        raise InputError(what, path=folder, hint="give another folder") from error
    with locked(folder / ".lock", wait=False):
        yield


def with_locks(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment for processes that work under the locks of this one."""
    return {**environment, _OF_PARENT: json.dumps(_locks())}


def _locks() -> dict[str, str]:
    """The locks of this process, and of the one whose work it does: `unique` by path."""
    own = {str(path): owner.unique for path, owner in list(_held.items())}
    return {**json.loads(os.environ.get(_OF_PARENT, "{}")), **own}


def check_held() -> None:
    """Check that this process still has its locks, before it gives a file its name.

    Those of the process that started it by `with_locks` count as its own.

    Raises:
        InputError: another process took one over, as this one was suspended.
    """
    for path, unique in _locks().items():
        content = _content(Path(path))
        owner = _owner(content)
        # A count that is being written names no owner; another thread may release its lock now.
        lost = content is None or (owner is not None and owner.unique != unique)
        if lost and _locks().get(path) == unique:
            raise InputError(
                "this process was suspended, and another one took over its work",
                path=path,
                hint="run the same command again when the other one has ended",
            )


def owner_of(path: Path) -> Owner | None:
    """The owner of the lock at a path; None if there is no lock, or it does not say (yet)."""
    return _owner(_content(path))


def _log_waiting(owner: str) -> None:
    log.info("waiting for %s, which is running here", owner)


def _log_watching(owner: str) -> None:
    log.info("waiting for a sign of life of %s, whose lock is here", owner)


@dataclass
class _Seen:
    """The last content of a lock file, since when it is that, and whether it was another before."""

    content: str | None = None
    since: float = 0.0
    changed: bool = False


def _acquire(
    paths: Sequence[Path], owner: Owner, wait: bool, on_wait: Callable[[str], None]
) -> Path:
    """Create one of the lock files as soon as possible."""
    seen: dict[Path, _Seen] = defaultdict(_Seen)
    announced = False
    while True:
        for path in paths:
            if _create_or_replace(path, owner, seen):
                return path
        holder = owner_of(paths[0])
        name = str(holder or "another process")
        if not wait and (seen[paths[0]].changed or (holder is not None and holder.of_this_boot)):
            hint = f"wait for it to end; if it is no longer running, remove {paths[0]}"
            raise InputError(f"{name} is running there", path=paths[0].parent, hint=hint)
        if not announced:
            on_wait(name)
            announced = True
        time.sleep(_POLL_SECONDS)


def _create_or_replace(path: Path, owner: Owner, seen: dict[Path, _Seen]) -> bool:
    """Create the lock file unless a live process has one there."""
    return _create(path, owner) or (_remove_if_stale(path, owner, seen) and _create(path, owner))


def _remove_if_stale(path: Path, owner: Owner, seen: dict[Path, _Seen]) -> bool:
    """Whether the lock file is gone, as it was released or its owner is dead."""
    content = _content(path)
    if content is None:
        return True
    holder, now = _owner(content), time.monotonic()
    if content != seen[path].content:
        seen[path] = _Seen(content, now, changed=seen[path].content is not None)
    if not (holder and holder.dead) and now - seen[path].since <= STALE_SECONDS:
        return False
    # Only the holder of a second lock may remove the first, after checking again, as another
    # process may have taken it over meanwhile.
    second = path.with_name(f"{path.name}.stale")
    if not _create_or_replace(second, owner, seen):
        return False
    try:
        if _content(path) == content:
            log.info("%s is gone: its lock is taken over", holder or "another process")
            path.unlink()
    finally:
        second.unlink()
    return True


def _create(path: Path, owner: Owner) -> bool:
    """Create the lock file unless it exists."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
            return _write_first(path, handle, owner)
        return False
    except OSError as error:
        what = f"no lock can be written there ({error.strerror})"
        raise InputError(
            what, path=path.parent, hint="give another folder, or check who may write there"
        ) from error


def _write_first(path: Path, handle: int, owner: Owner) -> bool:
    try:
        with os.fdopen(handle, "w") as file:
            file.write(_line(owner, 0))
    except BaseException:
        path.unlink()
        raise
    return True


def _beat(path: Path, owner: Owner, stop: threading.Event) -> None:
    """Write a new count into the lock until `stop` is set."""
    count = 0
    while not stop.wait(BEAT_SECONDS):
        count += 1
        try:
            # A lock taken over is another file: what is written here after the check is lost with
            # the removed one.
            with path.open("r+") as file:
                ours = _owner(file.read()) == owner
                if ours:
                    file.seek(0)
                    file.write(_line(owner, count))  # never shorter than what it replaces
        except FileNotFoundError:
            ours = False
        except OSError:  # a full disk must not end the owner's work; others see the old count
            continue
        if not ours:
            log.warning("%s: the lock was removed by someone else", path)
            return


def _line(owner: Owner, count: int) -> str:
    return json.dumps(asdict(owner) | {"count": count}) + "\n"


def _content(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace")  # a damaged one names no owner
    except FileNotFoundError:
        return None


def _owner(content: str | None) -> Owner | None:
    """The owner of a lock; None if the file does not say (yet)."""
    try:
        fields = json.loads(content or "")
        fields.pop("count")
        return Owner(**fields)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _boot() -> str:
    """Id of this machine's boot and of this process' set of process ids."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def _start_of(pid: int) -> int:
    """The start of a process, in ticks since the boot."""
    try:
        # The second field, the name in parentheses, may contain spaces.
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except OSError:
        return 0
