"""Processes that are started together end together."""

import os
import signal
import subprocess
import sys
import time

import pytest

from nlmt.errors import InputError
from nlmt.io.locks import locked
from nlmt.neural.train import launch
from nlmt.neural.train.launch import interrupted_by_sigterm, start_together

HOUR = 3600  # longer than any test waits
# Writes its process number into a file of its rank, then does what its rank is told to.
WORKER = """
import os, sys, time
rank = int(os.environ["RANK"])
with open(os.path.join(sys.argv[1], str(rank)), "w") as stream:
    stream.write(f"{os.getpid()} {os.environ['WORLD_SIZE']} {os.environ['OMP_NUM_THREADS']}")
while len(os.listdir(sys.argv[1])) < 2:
    time.sleep(0.01)
time.sleep(float(sys.argv[2 + rank]))
sys.exit(int(sys.argv[4 + rank]))
"""


def command(folder, seconds, statuses):
    return [sys.executable, "-c", WORKER, str(folder), *map(str, (*seconds, *statuses))]


def is_gone(folder, rank):
    process = int((folder / str(rank)).read_text().split()[0])
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_all_end_well(tmp_path):
    start_together(command(tmp_path, (0, 0.1), (0, 0)), 2, threads=3)
    assert [(tmp_path / str(rank)).read_text().split()[1:] for rank in (0, 1)] == [["2", "3"]] * 2


def test_they_work_under_the_locks_of_the_one_that_starts_them(tmp_path):
    """As of a job that was suspended, and whose work another one took over meanwhile."""
    writer = "import sys; from nlmt.io.files import write_text; write_text(sys.argv[1], 'ours')"
    write = [sys.executable, "-c", writer, str(tmp_path / "result")]
    with locked(tmp_path / "lock"):
        start_together(write, 1)
        assert (tmp_path / "result").read_text() == "ours"
        (tmp_path / "result").write_text("theirs")
        (tmp_path / "lock").unlink()
        with pytest.raises(InputError, match="process 1 of 1 failed"):
            start_together(write, 1)
    assert (tmp_path / "result").read_text() == "theirs"


def test_one_that_fails_ends_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(launch, "GRACE", 0.2)
    with pytest.raises(InputError, match=r"process 2 of 2 failed \(status 3\)"):
        start_together(command(tmp_path, (HOUR, 0), (0, 3)), 2)
    assert is_gone(tmp_path, 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_all(tmp_path, number):
    (tmp_path / "ranks").mkdir()
    call = f"""
import signal
from nlmt.neural.train.launch import start_together
signal.signal(signal.SIGINT, signal.default_int_handler)
start_together({command(tmp_path / "ranks", (HOUR, HOUR), (0, 0))!r}, 2)
"""
    process = subprocess.Popen([sys.executable, "-c", call], stderr=subprocess.PIPE)
    # A file is there before its text is.
    while sum(bool(path.read_text()) for path in (tmp_path / "ranks").iterdir()) < 2:
        time.sleep(0.02)
    process.send_signal(number)
    assert b"KeyboardInterrupt" in process.communicate(timeout=600)[1]
    assert is_gone(tmp_path / "ranks", 0)
    assert is_gone(tmp_path / "ranks", 1)


def test_a_second_sigterm_does_not_disturb_the_end():
    before, ended = signal.getsignal(signal.SIGTERM), []

    @interrupted_by_sigterm()
    def work():
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.raise_signal(signal.SIGTERM)
            ended.append("well")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert ended
    assert signal.getsignal(signal.SIGTERM) == before
