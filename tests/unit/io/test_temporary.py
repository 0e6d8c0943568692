"""Folders for temporary files go with the process, or with the next one after a kill."""

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from nlmt.io.temporary import temporary_folder

HOLD = """
import time
from nlmt.io.temporary import temporary_folder
with temporary_folder() as folder:
    (folder / "large").touch()
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_folder_goes_at_the_end(place: Path) -> None:
    with temporary_folder() as folder:
        assert folder.parent == place
        (folder / "file").touch()
    assert list(place.iterdir()) == []


def test_folder_of_a_killed_process_is_removed_by_the_next_and_that_of_a_living_one_stays(
    place: Path,
) -> None:
    command = [sys.executable, "-c", HOLD]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    killed, living = (Path((process.stdout or sys.stdin).readline().strip()) for process in both)
    try:
        both[0].send_signal(signal.SIGKILL)
        both[0].wait(600)
        others = place / "nlmt.of-another-machine.1.2.x"
        others.mkdir()
        unknown = living.with_name(f"{living.name.rsplit('.', 2)[0]}.x.y")
        unknown.mkdir()  # of a living process that started at some time
        assert killed.exists()
        with temporary_folder():
            assert not killed.exists()
            assert (living / "large").exists()
            assert others.exists()
            assert unknown.exists()
    finally:
        both[1].terminate()
        both[1].wait(600)
