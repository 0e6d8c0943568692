"""Logging of workflow scripts (log file and terminal), and their exit status."""

import errno
import logging
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from nlmt.errors import InputError, space_hint

# Set in the environment of jobs whose messages would disturb a display (`nlmt.progress`).
LOGS_ONLY = "NLMT_LOGS_ONLY"
TIME = re.compile(r"^\d\d:\d\d:\d\d ")  # before each line of a log
FAULT = "this is a fault of nlmt, not yours:"  # stands before a traceback
STOPPED = "interrupted: give the same command again to resume"  # by SIGINT or SIGTERM
MEMORY_HINT = "run fewer jobs at once, as with --resources mem_mb=8000, or use a larger machine"
_HINTS: dict[int | None, str] = {
    errno.EACCES: "check its owner and permissions",
    errno.EROFS: "its disk is mounted read-only: mount it for writing",
}
INTERRUPTED = 130  # a shell's status for a process that SIGINT ended


@contextmanager
def log_to_file(path: Path | str | None) -> Iterator[None]:
    """Send logging to a file, if any, and the terminal; on an error end the script with one line.

    Where the environment has `LOGS_ONLY`, only what has no file goes to the terminal.

    A user's error (`InputError`, a full disk, a missing file, too little memory) is printed without
    a traceback and the script exits with status 1; the traceback of any other error goes to the
    log.
    """
    formatter = logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S")
    formatter.converter = time.gmtime
    to_terminal = path is None or not logs_only()
    handlers: list[logging.Handler] = [
        logging.StreamHandler(sys.stderr) if to_terminal else logging.NullHandler()
    ]
    try:
        if path is not None:
            path = Path(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            handlers.append(_LogFile(path, mode="w", encoding="utf-8"))
    except OSError as error:
        print(f"error: {describe(error)}", file=sys.stderr)
        sys.exit(1)
    for handler in handlers:
        handler.setFormatter(formatter)
    logging.basicConfig(level=logging.INFO, handlers=handlers, force=True)
    try:
        yield
    except InputError as error:
        logging.error("error: %s", error)
    except OSError as error:
        logging.error("error: %s", describe(error))
    except MemoryError:
        logging.error("error: out of memory (%s)", MEMORY_HINT)
    except KeyboardInterrupt:
        logging.error(STOPPED)
        sys.exit(INTERRUPTED)
    except Exception:
        logging.exception(FAULT)
    else:
        return
    sys.exit(1)


def logs_only() -> bool:
    """Whether the terminal is left to a display of the whole workflow."""
    return LOGS_ONLY in os.environ


class _LogFile(logging.FileHandler):
    """A log file whose write errors (a full disk) do not end the script."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's own name)
        """Ignore the error: the step itself reports a full disk."""

    def close(self) -> None:
        """Close, even if the last lines cannot be written."""
        try:
            super().close()
        except OSError:
            self.stream = None


def interrupt_on_sigterm() -> None:
    """Handle SIGTERM, which batch systems send, like Ctrl-C.

    Half-written files are then removed, and running programs are ended.
    """
    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def describe(error: OSError) -> str:
    """An error in one line: the file, its fault, and the remedy if known."""
    where = f"{error.filename}: " if error.filename else ""
    what = str(error.strerror or error)  # compiled code may omit the number
    hint = space_hint(what) or _HINTS.get(error.errno, "")
    return f"{where}{what} ({hint})" if hint else where + what
