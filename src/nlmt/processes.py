"""Running of other programs, which end with the call, and whose messages explain failures.

Also calls of libraries that cannot be stopped.
"""

import logging
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TypeVar

from nlmt.errors import SPACE_HINT, InputError, space_hint
from nlmt.runlog import MEMORY_HINT
from nlmt.steps import step

T = TypeVar("T")

_LISTEN = 0.1  # seconds after which an interruption is seen that another thread received

log = logging.getLogger(__name__)


class ToolError(InputError):
    """A program failed.

    Attributes:
        messages: all lines of its standard error, of which the exception shows the last ones.
    """

    def __init__(self, what: str, messages: str, hint: str = "") -> None:
        super().__init__(what, hint=hint)
        self.messages = messages


def run_program(
    command: Sequence[Path | str],
    *,
    lines: Iterable[str] = (),
    output: Path | None = None,
    last_words: int = 1,
) -> None:
    """Run a program with `lines` as its input; log its messages (standard error).

    The program and its children form a process group, which ends with the call: an error in
    `lines` or an interruption kills it.

    Args:
        command: the program and its arguments; they do not pass through a shell.
        lines: its standard input.
        output: receives its standard output; None: discarded.
        last_words: lines of its messages that an error repeats.

    Raises:
        ToolError: the program failed; shows its last messages.
        InputError: it cannot be run; or any error of `lines`.
    """
    arguments = [str(part) for part in command]
    log.info("%s", " ".join(arguments))
    name = Path(arguments[0]).name
    with tempfile.TemporaryFile() as stderr, _open_output(output) as stdout, step(f"run {name}"):
        process: subprocess.Popen[bytes] | None = None
        try:
            with interruption_held():
                process = subprocess.Popen(
                    arguments,
                    stdin=subprocess.PIPE,
                    stdout=stdout,
                    stderr=stderr,
                    start_new_session=True,
                )
            status = _feed(process, lines)
        except BaseException as error:
            if process is not None:
                _end_group(process)
            elif isinstance(error, OSError):
                raise InputError(f"cannot be run: {error.strerror}", path=arguments[0]) from error
            raise
        stderr.seek(0)
        messages = [line.decode(errors="replace").strip() for line in stderr]
    # Progress bars and build_binary's closing ERROR carry no information.
    messages = [line for line in messages if line.strip("-*=0123456789") and line != "ERROR"]
    log.info("%s", "\n".join(messages))
    if status != 0:
        raise failure(name, status, messages, last_words)


def failure(name: str, status: int, messages: Sequence[str], last_words: int = 1) -> ToolError:
    """The error for a program's non-zero exit status (negative: the signal)."""
    last = " / ".join(messages[-last_words:]) or "no message"
    what = f"{name} failed ({_ending(status)}): {last}"
    return ToolError(what, "\n".join(messages), _hint(status, messages))


def _open_output(path: Path | None) -> IO[bytes]:
    return Path(os.devnull if path is None else path).open("wb")


@contextmanager
def interruption_held() -> Iterator[None]:
    """Delay SIGINT and SIGTERM to the end: within Popen they would leave the program running."""
    caught: list[int] = []
    main = threading.current_thread() is threading.main_thread()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    handled = [number for number, handler in before.items() if main and callable(handler)]
    try:
        for number in handled:
            signal.signal(number, lambda number, frame: caught.append(number))
        yield
    finally:
        for number in handled:
            signal.signal(number, before[number])
        if caught:
            signal.raise_signal(caught[0])


def abandonable(call: Callable[[], T]) -> T:
    """The result of a call that cannot be stopped, in a thread that an interruption abandons.

    The call has to let other threads run.
    """
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # of any kind: the caller handles it
            future.set_exception(error)

    thread = threading.Thread(target=work, daemon=True)
    try:
        thread.start()
    except RuntimeError:  # the system has no thread left
        return call()
    while thread.is_alive():
        thread.join(_LISTEN)
    return future.result()


def _feed(process: "subprocess.Popen[bytes]", lines: Iterable[str]) -> int:
    """Write the program's input; return its exit status."""
    assert process.stdin is not None
    # A program that ends early reports the reason on standard error.
    with suppress(BrokenPipeError):
        process.stdin.writelines(f"{line}\n".encode() for line in lines)
    with suppress(BrokenPipeError):
        process.stdin.close()  # flushes the buffer
    return process.wait()


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """Kill the program and its children."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()


def _hint(status: int, messages: Sequence[str]) -> str:
    """Advice on a failure of a known kind."""
    if status == -signal.SIGKILL:
        return MEMORY_HINT
    if status == -signal.SIGBUS:
        return SPACE_HINT
    return space_hint("\n".join(messages))


def _ending(status: int) -> str:
    """The end of a process in words, from its exit status (negative: the signal)."""
    if status == -signal.SIGKILL:
        return "killed, possibly for lack of memory"
    if status == -signal.SIGBUS:  # KenLM writes by mmap, which fails so on a full disk
        return "bus error, possibly from a full disk"
    return f"signal {-status}" if status < 0 else f"status {status}"
