"""Locks: one holder at a time, over processes and threads, and none is held by the dead."""

import json
import multiprocessing
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from multiprocessing.synchronize import Event
from pathlib import Path

import numpy as np
import pytest

from nlmt.errors import InputError
from nlmt.io import locks
from nlmt.io.files import write_text
from nlmt.io.locks import _POLL_SECONDS, Owner, alone_in, locked
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


def test_the_file_names_its_owner_and_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    path = tmp_path / "new" / "lock"
    with locked(path):
        found = json.loads(path.read_text())
        assert (found["pid"], found["job"]) == (Owner.here().pid, "17")
    assert list(path.parent.iterdir()) == []


def test_an_owner_in_words(caplog: pytest.LogCaptureFixture) -> None:
    owner = replace(Owner.here(), host="node1", pid=17, job="")
    assert str(owner) == "process 17 on node1"
    assert str(replace(owner, job="5")) == "process 17 on node1, job 5"
    with caplog.at_level("INFO"):
        locks._log_waiting(str(owner))
    assert caplog.messages == ["waiting for process 17 on node1, which is running here"]


def test_a_second_process_is_refused_or_waits(tmp_path: Path, holder: Callable[[], tuple]) -> None:
    process, release = holder()
    message = rf"process {process.pid} on .* is running there.*remove {tmp_path}/lock"
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


def test_a_lock_that_does_not_name_its_owner_yet_is_held(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    with pytest.raises(InputError, match="another process is running"):
        locked(tmp_path / "lock", wait=False).__enter__()


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
    with locked(tmp_path / "lock", stale_seconds=0.7):
        # The first look after more than 0.7 s without a beat.
        assert 0.7 < clock.now - beats[-1] < 0.7 + 2 * _POLL_SECONDS


def test_an_owner_shows_that_it_lives(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locked(path, beat_seconds=0.05):
        first = path.read_text()
        deadline = time.monotonic() + 600
        while path.read_text() in (first, ""):
            assert time.monotonic() < deadline
        assert json.loads(path.read_text())["unique"] == json.loads(first)["unique"]


def test_a_lock_that_another_one_took_is_left_to_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locked(path):
        write(path, replace(Owner.here(), unique="another"))
    assert json.loads(path.read_text())["unique"] == "another"


@pytest.mark.parametrize("taken", ["held by another one", "removed again"])
def test_who_lost_a_lock_writes_no_more(taken: str, tmp_path: Path) -> None:
    """A process that was suspended has no say in the files of the one that took over its work."""
    write_text(tmp_path / "result", "theirs\n")
    with locked(tmp_path / "lock", beat_seconds=0.05):
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
    assert (tmp_path / "lock").exists() == (taken == "held by another one")
    write_text(tmp_path / "result", "ours\n")


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


def test_a_damaged_lock_is_waited_for_until_it_is_stale(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("{")
    with pytest.raises(InputError, match="another process is running"):
        locked(tmp_path / "lock", wait=False).__enter__()
    with locked(tmp_path / "lock", stale_seconds=0.3):
        pass


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
    with pytest.raises(InputError, match="cannot be made"), alone_in(tmp_path / "file/folder"):
        pass
