"""Ctrl-C during work; times are those of the processor, not of a busy machine."""

import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from nlmt.runlog import INTERRUPTED


def time_with_programs() -> float:
    """Time of the processor, with that of the programs that this process has started."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = time.process_time() + ended.ru_utime + ended.ru_stime
    for children in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # a thread, or a program, that has just ended
            for child in children.read_text().split():
                seconds += time.clock_gettime(~int(child) << 3 | 2)
    return seconds


@contextmanager
def interrupted_after(
    seconds: float, clock: Callable[[], float] = time.process_time
) -> Iterator[list[float]]:
    """Ctrl-C after some time of the processor; yields a list for the time when it came."""
    ended = threading.Event()
    began = clock()
    came: list[float] = []

    def watch() -> None:
        while not ended.wait(0.001):
            if clock() - began > seconds:
                came.append(clock())
                os.kill(os.getpid(), signal.SIGINT)
                return

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield came
    finally:
        ended.set()
        thread.join()


def check_command(run: Callable[[], int], clock: Callable[[], float] = time.process_time) -> None:
    """After a third of its work Ctrl-C must end a command before the next third is done."""
    began = clock()
    assert run() == 0
    whole = clock() - began
    for _ in range(5):
        began = clock()
        with interrupted_after(whole / 3, clock) as came:
            status = run()
        ended = clock()
        if came and came[0] - began < whole / 2:  # not late, as it may be beside other work
            assert status == INTERRUPTED
            assert ended - came[0] < whole / 3
            return
    pytest.fail("Ctrl-C always came too late")
