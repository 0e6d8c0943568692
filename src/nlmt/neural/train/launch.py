"""Several processes of this machine that train one model, as `torchrun` would start them."""

import logging
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from threading import Thread
from typing import IO

from nlmt.errors import InputError
from nlmt.io.locks import with_locks
from nlmt.processes import interruption_held
from nlmt.runlog import interrupt_on_sigterm

# Seconds that processes have to end by themselves when one has failed, or all are asked to.
GRACE = 10.0
_LOOK = 0.1  # seconds between two looks at them


def start_together(
    command: Sequence[str], count: int, threads: int = 1, *, log: bool = False
) -> None:
    """Run a command in several processes, which find each other by `ranks.joined`.

    They end together: when the first fails, and when this process is interrupted (SIGINT, SIGTERM);
    its main thread must call this. Their output goes where this process prints.

    No shell sees the command. `threads` are those of torch in each process, unless it sets another
    number; with `log` this process logs the messages (standard error) of the first.

    Raises:
        InputError: one of them failed; it has reported why itself, if it could.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    shared = {
        **with_locks(os.environ),
        "WORLD_SIZE": str(count),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "OMP_NUM_THREADS": str(threads),
    }
    processes: list[subprocess.Popen[bytes]] = []
    with ExitStack() as stack:
        stack.enter_context(interrupted_by_sigterm())
        try:
            for rank in range(count):
                own = {"RANK": str(rank), "LOCAL_RANK": str(rank)}
                messages = subprocess.PIPE if log and rank == 0 else None
                with interruption_held():
                    process = subprocess.Popen(list(command), env=shared | own, stderr=messages)
                    processes.append(process)
                if process.stderr is not None:
                    stack.enter_context(_logged(process.stderr))
            _wait(processes)
        finally:
            _end(processes)


@contextmanager
def _logged(messages: IO[bytes]) -> Iterator[None]:
    """Log lines as they come; at the end, all that are left."""

    def log() -> None:
        for line in messages:
            logging.info("%s", line.decode(errors="replace").rstrip())

    thread = Thread(target=log, daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join(GRACE)


@contextmanager
def interrupted_by_sigterm() -> Iterator[None]:
    """Make SIGTERM interrupt like SIGINT, so that processes and files are cleaned up."""
    before = signal.getsignal(signal.SIGTERM)
    interrupt_on_sigterm()
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _wait(processes: Sequence["subprocess.Popen[bytes]"]) -> None:
    """Wait until all processes have succeeded, or one has failed."""
    while True:
        ends = [process.poll() for process in processes]
        for rank, status in enumerate(ends):
            if status:
                _outlast(processes)  # the same error ends the others, or a lost connection
                # Of those that fail alike, the first one has reported why, whichever was seen
                # first.
                rank = next(n for n, process in enumerate(processes) if process.poll() == status)
                how = f"signal {-status}" if status < 0 else f"status {status}"
                raise InputError(f"process {rank + 1} of {len(ends)} failed ({how})")
        if all(status == 0 for status in ends):
            return
        time.sleep(_LOOK)


def _outlast(processes: Sequence["subprocess.Popen[bytes]"]) -> None:
    """Give processes time to end."""
    until = time.monotonic() + GRACE
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, until - time.monotonic()))


def _end(processes: Sequence["subprocess.Popen[bytes]"]) -> None:
    """Tell those that still run to end, then kill them."""
    running = [process for process in processes if process.poll() is None]
    for process in running:
        process.terminate()
    _outlast(running)
    for process in running:
        process.kill()
        process.wait()
