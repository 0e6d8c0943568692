"""Locks: one holder at a time, over processes and threads, and none is held by the dead."""

import errno
import json
import multiprocessing
import os
import signal
import socket
import stat
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, replace
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.io import locks
from nlmt.io.files import scratch_folder, write_text
from nlmt.io.locks import _POLL_SECONDS, Owner, alone_in, locked
from nlmt.io.records import Records
from nlmt.neural.tensors import write_tensors


def _hold(path: Path, held: Event, release: Event) -> None:
    with locked(path):
        held.set()
        release.wait(600)


@pytest.fixture
def holder(tmp_path: Path) -> Callable[[], tuple[multiprocessing.Process, Event]]:
    """Start a process that holds the lock `tmp_path/lock`; gives it, and the event to end it."""
    context = multiprocessing.get_context("spawn")

    def start() -> tuple[multiprocessing.Process, Event]:
        held, release = context.Event(), context.Event()
        process = context.Process(target=_hold, args=(tmp_path / "lock", held, release))
        process.start()
        assert held.wait(600)
        return process, release  # type: ignore[return-value]

    return start


def write(path: Path, owner: Owner) -> None:
    path.write_text(json.dumps(asdict(owner) | {"count": 0}))


@pytest.mark.parametrize("variable", ["SLURM_JOB_ID", "LSB_JOBID", "PBS_JOBID", "JOB_ID"])
def test_the_file_names_its_owner_and_is_removed(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.environ", {variable: "17"})
    path = tmp_path / "new" / "folder" / "lock"
    before = os.umask(0)
    with locked(path):
        os.umask(before)
        found = json.loads(path.read_text())
        assert (found["pid"], found["job"]) == (os.getpid(), "17")
        assert (found["host"], found["count"]) == (socket.gethostname(), 0)
        assert stat.S_IMODE(path.stat().st_mode) == 0o644  # others read who holds it
    assert list(path.parent.iterdir()) == []


def test_the_boot_and_the_set_of_process_ids_are_told_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert Owner.here().boot == f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    monkeypatch.setattr(Path, "read_text", mock.Mock(side_effect=FileNotFoundError))
    assert (Owner.here().boot, Owner.here().started) == ("", 0)


def test_the_start_of_a_process_whatever_its_name() -> None:
    name, started = Path("/proc/self/comm"), Owner.here().started
    own = name.read_text()
    uptime = float(Path("/proc/uptime").read_text().split()[0])
    assert 0 < started <= uptime * os.sysconf("SC_CLK_TCK")
    name.write_text("a) b (c) 1 2")
    try:
        assert Owner.here().started == started
    finally:
        name.write_text(own)


@pytest.mark.parametrize("other", [{"host": "node2"}, {"boot": "container"}, {"started": 0}])
def test_only_of_this_machine_a_process_is_known_to_have_ended(other: dict[str, Any]) -> None:
    ended = replace(Owner.here(), started=1)
    assert ended.dead
    assert replace(ended, pid=1 << 80).dead
    assert not replace(ended, **other).dead


@pytest.mark.parametrize(
    "content", [b"", b"{", b"{}", b"[]", b"3", b'{"count": 0}', b'{"host": "\xff', b"\0\0"]
)
def test_a_lock_that_is_damaged_names_no_owner(content: bytes, tmp_path: Path) -> None:
    assert locks.owner_of(tmp_path / "lock") is None
    (tmp_path / "lock").write_bytes(content)
    assert locks.owner_of(tmp_path / "lock") is None


def test_a_lock_that_cannot_be_written_is_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(locks, "_line", mock.Mock(side_effect=error))
    with pytest.raises(InputError) as caught:
        locked(tmp_path / "lock").__enter__()
    assert str(caught.value) == (
        f"{tmp_path}: no lock can be written there (No space left on device) (give another folder, "
        "or check who may write there)"
    )
    monkeypatch.setattr(locks, "_line", mock.Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        locked(tmp_path / "lock").__enter__()
    assert list(tmp_path.iterdir()) == []


def test_a_lock_goes_with_an_error_and_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()

    def fail_elsewhere() -> None:
        with locked(Path("lock")):
            monkeypatch.chdir("folder")
            locks.check_held()
            raise KeyError

    with pytest.raises(KeyError):
        fail_elsewhere()
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    locks.check_held()


def test_the_beat_ends_before_the_lock_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A beat that came later might write into the next owner's lock."""
    path, steps = tmp_path / "lock", []

    class Thread:
        def __init__(self, target: object, args: tuple, daemon: bool) -> None:
            self.path, _, self.stop = args
            assert target is locks._beat
            assert daemon  # a process that ends does not wait for it

        def start(self) -> None:
            steps.append(("start", self.path))

        def join(self) -> None:
            steps.append(("join", self.stop.is_set(), path.exists()))

    monkeypatch.setattr(locks.threading, "Thread", Thread)
    with locked(path):
        assert steps.pop() == ("start", path)
    assert steps == [("join", True, True)]
    assert not path.exists()


def test_missed_beats_and_cached_files_make_no_lock_stale() -> None:
    """NFS may show a count for 60 s that has changed since, and a busy machine may miss some."""
    assert 60 + 10 * locks.BEAT_SECONDS < locks.STALE_SECONDS


class Beats:
    """An event that lets a lock be beaten after each of some actions, and is set then."""

    def __init__(self, *actions: Callable[[], object]) -> None:
        self.actions, self.seconds = list(actions), set()

    def wait(self, seconds: float) -> bool:
        self.seconds.add(seconds)
        if not self.actions:
            return True
        self.actions.pop(0)()
        return False


def test_each_beat_writes_another_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, owner, seen = tmp_path / "lock", Owner.here(), []
    write(path, owner)

    def look() -> None:
        seen.append(json.loads(path.read_text())["count"])

    def fill_the_disk() -> None:
        look()
        full = mock.Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
        monkeypatch.setattr(Path, "open", full)

    beats = Beats(look, look, fill_the_disk, monkeypatch.undo, look, look)
    locks._beat(path, owner, beats)
    look()
    assert seen == [0, 1, 2, 4, 5, 6]
    assert beats.seconds == {15}
    assert locks.owner_of(path) == owner


@pytest.mark.parametrize("taken", [True, False])
def test_no_beat_into_a_lock_that_is_gone(
    taken: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, owner = tmp_path / "lock", Owner.here()
    if taken:
        write(path, replace(owner, unique="another"))
    before = path.read_text() if taken else None
    beats = Beats(lambda: None, lambda: None)
    locks._beat(path, owner, beats)
    assert (path.read_text() if path.exists() else None) == before
    assert caplog.messages == [f"{path}: the lock was removed by someone else"]
    assert len(beats.actions) == 1  # none follows


def test_a_lock_that_is_released_meanwhile_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the attempt to create it and the look at its owner, or before its own release."""
    path, read = tmp_path / "lock", locks._content
    write(path, replace(Owner.here(), unique="another"))

    def content(path: Path) -> str | None:
        monkeypatch.setattr(locks, "_content", read)
        path.unlink()
        return read(path)

    monkeypatch.setattr(locks, "_content", content)
    with locked(path, wait=False):
        owner = locks.owner_of(path)
        monkeypatch.setattr(locks, "owner_of", lambda path: path.unlink() or owner)
    assert list(tmp_path.iterdir()) == []


def test_a_stale_lock_that_cannot_be_removed_stays_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "lock", replace(Owner.here(), started=1))
    unlink = Path.unlink

    def refuse(path: Path) -> None:
        if path.name == "lock":
            raise PermissionError
        unlink(path)

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(PermissionError):
        locked(tmp_path / "lock").__enter__()
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_an_owner_in_words(caplog: pytest.LogCaptureFixture) -> None:
    owner = replace(Owner.here(), host="node1", pid=17, job="")
    assert str(owner) == "process 17 on node1"
    assert str(replace(owner, job="5")) == "process 17 on node1, job 5"
    with caplog.at_level("INFO"):
        locks._log_waiting(str(owner))
    assert caplog.messages == ["waiting for process 17 on node1, which is running here"]


def test_a_second_process_is_refused_or_waits(tmp_path: Path, holder: Callable[[], tuple]) -> None:
    process, release = holder()
    message = (
        rf"^{tmp_path}: process {process.pid} on .* is running there \(wait for it to end; if it "
        rf"is no longer running, remove {tmp_path}/lock\)$"
    )
    with pytest.raises(InputError, match=message), locked(tmp_path / "lock", wait=False):
        pass
    asked = []

    def end_the_other(owner: str) -> None:
        asked.append(owner)
        release.set()

    with locked(tmp_path / "lock", on_wait=end_the_other):
        assert not process.is_alive() or process.join(600) is None
    assert len(asked) == 1
    assert str(process.pid) in asked[0]


def test_the_lock_of_a_killed_process_is_taken_over_at_once(
    tmp_path: Path, holder: Callable[[], tuple]
) -> None:
    process, _ = holder()
    process.kill()
    process.join(600)
    assert process.exitcode == -signal.SIGKILL
    with locked(tmp_path / "lock", wait=False):
        pass


def test_a_later_process_of_the_same_number_is_not_the_owner(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    dead = replace(Owner.here(), started=1, unique="another")
    write(tmp_path / "lock", dead)
    with caplog.at_level("INFO"), locked(tmp_path / "lock", wait=False):
        pass
    assert caplog.messages == [f"{dead} is gone: its lock is taken over"]


def test_an_owner_of_whom_the_system_says_nothing_is_alive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As another user's process is where /proc is mounted with hidepid=2."""

    def kill(pid: int, signal_: int) -> None:
        raise PermissionError

    write(tmp_path / "lock", replace(Owner.here(), pid=2**22 + 1, started=1, unique="hidden"))
    monkeypatch.setattr("os.kill", kill)
    with pytest.raises(InputError, match="is running"), locked(tmp_path / "lock", wait=False):
        pass


def test_two_that_find_a_dead_owner_do_not_both_take_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock is another one's by the time that this process may remove it."""
    alive = replace(Owner.here(), unique="quicker")
    write(tmp_path / "lock", replace(Owner.here(), started=1, unique="dead"))
    create = locks._create

    def create_later(path: Path, owner: Owner) -> bool:
        if path.name == "lock.stale":
            write(tmp_path / "lock", alive)
        return create(path, owner)

    monkeypatch.setattr(locks, "_create", create_later)
    with pytest.raises(InputError, match="is running"):
        locked(tmp_path / "lock", wait=False).__enter__()
    assert json.loads((tmp_path / "lock").read_text())["unique"] == "quicker"
    assert not (tmp_path / "lock.stale").exists()


def test_one_at_a_time_takes_over(tmp_path: Path) -> None:
    """Another process is about to remove the lock of the dead one."""
    write(tmp_path / "lock", replace(Owner.here(), started=1, unique="dead"))
    write(tmp_path / "lock.stale", replace(Owner.here(), unique="quicker"))
    with pytest.raises(InputError, match="is running"):
        locked(tmp_path / "lock", wait=False).__enter__()
    assert json.loads((tmp_path / "lock").read_text())["unique"] == "dead"
    write(tmp_path / "lock.stale", replace(Owner.here(), started=1, unique="dead, too"))
    with locked(tmp_path / "lock", wait=False):
        assert not (tmp_path / "lock.stale").exists()


class Clock:
    """A clock that goes on only where the waiting process sleeps; stands in for `time`."""

    def __init__(self, tick: Callable[[float], None]) -> None:
        self.now, self.tick = 0.0, tick

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.tick(self.now)


def test_an_owner_elsewhere_is_alive_as_long_as_its_count_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = replace(Owner.here(), host="node2", boot="another", unique="another")
    write(tmp_path / "lock", elsewhere)
    beats = []

    def beat(now: float) -> None:
        if now < 1.5:
            beats.append(now)
            content = json.dumps(asdict(elsewhere) | {"count": len(beats)})
            (tmp_path / "lock").write_text(content)

    clock = Clock(beat)
    monkeypatch.setattr("nlmt.io.locks.time", clock)
    monkeypatch.setattr(locks, "STALE_SECONDS", 0.7)
    asked: list[str] = []
    with locked(tmp_path / "lock", on_wait=asked.append):
        assert len(asked) == 1
        # The first look after more than 0.7 s without a beat.
        assert 0.7 < clock.now - beats[-1] < 0.7 + 2 * _POLL_SECONDS


@pytest.mark.parametrize("damaged", [False, True])
def test_a_silent_owner_elsewhere_is_waited_for_five_minutes(
    damaged: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, looks = Clock(lambda now: looks.append(now)), []
    monkeypatch.setattr("nlmt.io.locks.time", clock)
    write(tmp_path / "lock", replace(Owner.here(), host="node2"))
    if damaged:
        (tmp_path / "lock").write_text("{")
    with locked(tmp_path / "lock"):
        assert 300 < clock.now < 300.4
    assert looks[0] == 0.2  # and not all the time


@pytest.mark.parametrize("left", ["before a loss of power", "empty"])
@pytest.mark.parametrize("alive", [True, False])
def test_who_does_not_wait_watches_a_lock_of_which_it_knows_nothing(
    left: str, alive: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    """A loss of power leaves locks of another boot, or without their content."""
    path, owner = tmp_path / "lock", replace(Owner.here(), boot="before")

    def beat(now: float) -> None:
        if alive and now > 15:
            path.write_text(json.dumps(asdict(owner) | {"count": 1}))

    clock = Clock(beat)
    monkeypatch.setattr("nlmt.io.locks.time", clock)
    write(path, owner) if left == "before a loss of power" else path.touch()
    with caplog.at_level("INFO"):
        if alive:
            with pytest.raises(InputError, match=f"{owner} is running there"):
                locked(path, wait=False).__enter__()
            assert clock.now < 15 + 2 * _POLL_SECONDS
        else:
            with locked(path, wait=False):
                assert 300 < clock.now < 300.4
    who = owner if left == "before a loss of power" else "another process"
    assert caplog.messages[0] == f"waiting for a sign of life of {who}, whose lock is here"


def test_an_owner_shows_that_it_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lock"
    monkeypatch.setattr(locks, "BEAT_SECONDS", 0.05)
    with locked(path):
        first = path.read_text()
        deadline = time.monotonic() + 600
        while path.read_text() in (first, ""):
            assert time.monotonic() < deadline
        assert json.loads(path.read_text())["unique"] == json.loads(first)["unique"]


@pytest.mark.parametrize("taken", ["held by another one", "removed again"])
def test_who_lost_a_lock_writes_no_more(
    taken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that was suspended has no say in the files of the one that took over its work."""
    write_text(tmp_path / "result", "theirs\n")
    monkeypatch.setattr(locks, "BEAT_SECONDS", 0.05)
    with locked(tmp_path / "lock"):
        (tmp_path / "lock").unlink()
        if taken == "held by another one":
            write(tmp_path / "lock", replace(Owner.here(), unique="another"))
        expected = (
            f"{tmp_path}/lock: this process was suspended, and another one took over its work "
            r"\(run the same command again when the other one has ended\)$"
        )
        with pytest.raises(InputError, match=f"^{expected}"):
            write_text(tmp_path / "result", "ours\n")
        with pytest.raises(InputError, match=expected):
            write_tensors(tmp_path / "result", {"a": np.zeros(2, np.float32)})
    assert (tmp_path / "result").read_text() == "theirs\n"
    owner = locks.owner_of(tmp_path / "lock")  # the lock is left to it
    assert (owner and owner.unique) == ("another" if taken == "held by another one" else None)
    write_text(tmp_path / "result", "ours\n")


def test_a_process_that_was_started_writes_no_more_when_its_parent_lost_a_lock(
    tmp_path: Path,
) -> None:
    with locked(tmp_path / "lock"):
        environment = locks.with_locks(os.environ)
    with mock.patch.dict(os.environ, environment), locked(tmp_path / "own"):  # the child
        of_both = locks.with_locks({})
        write(tmp_path / "lock", replace(Owner.here(), unique="another"))
        with pytest.raises(InputError, match=f"^{tmp_path}/lock: this process was suspended"):
            write_text(tmp_path / "result", "ours\n")
    assert not (tmp_path / "result").exists()
    (tmp_path / "lock").unlink()
    taken_over = pytest.raises(InputError, match="another one took over its work")
    with mock.patch.dict(os.environ, of_both), taken_over:  # a child of the child
        write_text(tmp_path / "result", "ours\n")
    write_text(tmp_path / "result", "ours\n")


@pytest.mark.parametrize("ends_first", ["the suspended job", "its successor"])
def test_who_lost_a_lock_has_no_part_in_the_work_of_its_successor(
    ends_first: str, tmp_path: Path
) -> None:
    """It neither adds records to those of the other one, nor clears them away."""
    out, lock = tmp_path / "out", tmp_path / "lock"
    suspended, successor = ExitStack(), ExitStack()
    suspended.enter_context(locked(lock))
    lost = Records(suspended.enter_context(scratch_folder(out)) / "records", np.int64)
    lost.append(np.full(10, 1))
    write(lock, replace(Owner.here(), unique="another"))
    with mock.patch.object(locks, "_held", {}):  # the other process
        records = Records(successor.enter_context(scratch_folder(out)) / "records", np.int64)
    records.append(np.full(10, 2))
    taken_over = "another one took over its work"
    with pytest.raises(InputError, match=taken_over), scratch_folder(out):
        pass
    if ends_first == "the suspended job":
        with pytest.raises(InputError, match=taken_over), suspended:
            lost.append(np.full(10, 1))
    records.append(np.full(10, 2))
    assert np.unique(records.read(0, 30)).tolist() == [2]
    successor.close()
    if ends_first == "its successor":
        with pytest.raises(InputError, match=taken_over), suspended:
            lost.append(np.full(10, 1))
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_a_count_that_is_being_written_is_no_loss(tmp_path: Path) -> None:
    with locked(tmp_path / "lock"):
        (tmp_path / "lock").write_text("")
        write_text(tmp_path / "result", "ours\n")


def test_a_lock_that_another_thread_releases_is_no_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, read = locked(tmp_path / "other"), locks._content
    other.__enter__()

    def content(path: Path) -> str | None:
        monkeypatch.setattr(locks, "_content", read)
        other.__exit__(None, None, None)
        return read(path)

    monkeypatch.setattr(locks, "_content", content)
    write_text(tmp_path / "result", "ours\n")


def test_only_one_of_many_waiting_threads_at_a_time(tmp_path: Path) -> None:
    write(tmp_path / "lock", replace(Owner.here(), started=1, unique="dead"))
    inside, most = [], []

    def work() -> None:
        with locked(tmp_path / "lock"):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.01)
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 8
    assert list(tmp_path.iterdir()) == []


def test_the_first_free_one_of_several(tmp_path: Path) -> None:
    paths = [tmp_path / "a", tmp_path / "b"]
    with locked(*paths), locked(*paths):
        assert all(path.exists() for path in paths)
        with pytest.raises(InputError, match="is running"), locked(*paths, wait=False):
            pass


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError) as caught, alone_in(tmp_path / "file/folder"):
        pass
    assert str(caught.value) == (
        f"{tmp_path}/file/folder: the folder cannot be made (Not a directory) (give another folder)"
    )


def test_one_process_in_a_folder(tmp_path: Path) -> None:
    with alone_in(tmp_path / "a/b"):
        assert [path.name for path in (tmp_path / "a/b").iterdir()] == [".lock"]
        with pytest.raises(InputError, match="is running there"), alone_in(tmp_path / "a/b"):
            pass
    assert list((tmp_path / "a/b").iterdir()) == []
