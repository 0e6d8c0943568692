"""Two users at work in one folder of a group that they share, with umask 002 (root)."""

import ctypes
import multiprocessing
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from nlmt.doctor import State, leftovers
from nlmt.errors import InputError
from nlmt.io import locks
from nlmt.io.files import write_text
from nlmt.io.locks import locked
from nlmt.neural.tensors import write_tensors
from nlmt.provenance import Store

GROUP, USERS = 54_320, (54_321, 54_322)  # ids that need no entry
TURNS = int(os.environ.get("NLMT_TURNS", "60"))  # of each user
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="becomes other users")


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that gives all below it its group, where each user may go."""
    folder = Path(tempfile.mkdtemp(prefix="nlmt-shared-"))
    os.chown(folder, 0, GROUP)
    folder.chmod(0o2770)
    yield folder
    shutil.rmtree(folder)


def become(user: int, folder: Path, umask: int = 0o002) -> None:
    os.setgroups([])
    os.setgid(GROUP)
    os.setuid(user)
    os.umask(umask)
    os.chdir(folder)


# Flags of unshare(2) and mount(2), by <linux/sched.h> and <linux/mount.h>.
CLONE_NEWNS, MS_REC, MS_PRIVATE = 1 << 17, 1 << 14, 1 << 18
MOUNT = "mount -t proc -o hidepid=2 proc /proc"


def hide_processes() -> None:
    """Mount a /proc, for this process alone, that tells nothing of other users' processes."""
    library = ctypes.CDLL(None, use_errno=True)
    text, number = ctypes.c_char_p, ctypes.c_ulong
    library.mount.argtypes = [text, text, text, number, text]
    if (
        library.unshare(CLONE_NEWNS)
        or library.mount(None, b"/", None, MS_REC | MS_PRIVATE, None)
        or library.mount(b"proc", b"/proc", b"proc", 0, b"hidepid=2")
    ):
        raise OSError(ctypes.get_errno(), MOUNT)


def take_turns(user: int, folder: Path, proc: str) -> None:
    """Add one to the number in a file so many times, and die holding the lock at some of them."""
    if proc == "hidepid=2":
        hide_processes()
    become(user, folder)
    assert (locks._start_of(os.getppid()) == 0) == (proc != "open")
    locks._POLL_SECONDS = 0.001
    draw = np.random.default_rng(user)
    for turn in range(TURNS):
        if draw.random() < 0.05:
            holder = multiprocessing.get_context("fork").Process(target=die_holding)
            holder.start()
            holder.join()
        with locked(Path("results/lock")):
            before = int(Path("results/count").read_text())
            if draw.random() < 0.2:
                os.sched_yield()
            write_text("results/count", f"{before + 1}\n")
            Store().made("results/count", "job")
            write_tensors(Path("results/deep/tensors"), {"a": np.full(2, turn, np.float32)})


def die_holding() -> None:
    locked(Path("results/lock")).__enter__()
    os._exit(1)


def run(*processes: multiprocessing.Process) -> list[int | None]:
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return [process.exitcode for process in processes]


def skip_without_mounts() -> None:
    command = ["unshare", "--mount", *MOUNT.split()]
    tried = subprocess.run(command, capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"no mounts of its own: {tried.stderr}")


@pytest.mark.parametrize("proc", ["open", "hidepid=2", "hidepid=2, emulated"])
def test_no_turn_is_lost(proc: str, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if proc == "hidepid=2":
        skip_without_mounts()
    if proc == "hidepid=2, emulated":
        start = locks._start_of
        monkeypatch.setattr(locks, "_start_of", lambda pid: start(pid) * (pid == os.getpid()))
    context = multiprocessing.get_context("fork")

    def begin() -> None:
        become(USERS[0], shared)
        write_text("results/count", "0\n")

    assert run(context.Process(target=begin)) == [0]
    turns = [context.Process(target=take_turns, args=(user, shared, proc)) for user in USERS]
    assert run(*turns) == [0, 0]
    assert int((shared / "results/count").read_text()) == 2 * TURNS
    for path in (shared / "results").rglob("*"):
        status = path.stat()
        assert status.st_gid == GROUP, path
        assert stat.S_IMODE(status.st_mode) == (0o2775 if path.is_dir() else 0o664), path
        assert not path.name.startswith("."), path
    assert not (shared / "results/lock").exists()


def test_without_the_umask_the_error_names_the_folder(shared: Path) -> None:
    context = multiprocessing.get_context("fork")

    def begin() -> None:
        become(USERS[0], shared, umask=0o022)
        write_text("results/count", "0\n")

    def go_on() -> None:
        become(USERS[1], shared, umask=0o022)
        with pytest.raises(InputError, match=r"results: no lock can be written there \(Permission"):
            locked(Path("results/lock")).__enter__()
        with pytest.raises(PermissionError, match="results/count"):
            write_text("results/count", "1\n")

    assert run(context.Process(target=begin), context.Process(target=lambda: None)) == [0, 0]
    assert run(context.Process(target=go_on)) == [0]


@pytest.mark.parametrize("proc", ["open", "hidepid=2"])
def test_the_doctor_removes_nothing_of_another_users_run(proc: str, shared: Path) -> None:
    """Ours runs: this process, which the other user may not look at."""
    if proc == "hidepid=2":
        skip_without_mounts()
    (shared / ".snakemake/locks").mkdir(parents=True)
    (shared / ".snakemake/locks/0.output.lock").touch()
    (shared / "results").mkdir()
    (shared / f"results/.{os.getpid()}-0123abcd.model.bin").touch()

    def examine() -> None:
        if proc == "hidepid=2":
            hide_processes()
        become(USERS[0], shared)
        found = {check.subject: check for check in leftovers()}
        lock = found["Snakemake's lock"]
        assert (lock.state, "--unlock" in lock.remedy) == (State.WARNING, False)
        assert found["half-written files"].state is State.OK

    assert run(multiprocessing.get_context("fork").Process(target=examine)) == [0]
