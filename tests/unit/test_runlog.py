"""How a script ends: its status, and one line that says what to do."""

import errno
import os
import signal
from pathlib import Path

import pytest

from nlmt import runlog
from nlmt.errors import InputError
from nlmt.runlog import FAULT, LOGS_ONLY, describe, interrupt_on_sigterm, log_to_file

FULL = os.strerror(errno.ENOSPC)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(errno.ENOSPC, FULL, "a"), f"a: {FULL} (free some space, then run"),
        (OSError(f"a: {FULL}"), f"a: {FULL} (free some space, then run"),  # of compiled code
        (OSError(errno.EACCES, "Permission denied", "a"), "a: Permission denied (check its owner"),
        (OSError(errno.EROFS, "Read-only file system", "a"), "a: Read-only file system (its disk"),
        (FileNotFoundError(errno.ENOENT, "No such file", "a"), "a: No such file"),
    ],
)
def test_what_to_do(error: OSError, message: str) -> None:
    assert describe(error).startswith(message)
    assert describe(error).endswith(")" if "(" in message else message)


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (InputError("wrong"), 1, "error: wrong"),
        (OSError(errno.ENOSPC, FULL, "a"), 1, f"error: a: {FULL} (free some space"),
        (MemoryError(), 1, "error: out of memory (run fewer jobs"),
        (KeyboardInterrupt(), 130, "interrupted: give the same command again"),
        (KeyError("a"), 1, FAULT),
    ],
)
def test_an_error_ends_the_script_with_its_status(
    error: BaseException,
    status: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(LOGS_ONLY, "1")
    with pytest.raises(SystemExit) as ended, log_to_file(tmp_path / "job.log"):
        raise error
    assert ended.value.code == status
    text = (tmp_path / "job.log").read_text()
    assert said in text
    assert ("Traceback" in text) == (said == FAULT)


def test_a_second_sigterm_does_not_disturb_the_end() -> None:
    before = signal.getsignal(signal.SIGTERM)
    try:
        interrupt_on_sigterm()
        assert signal.getsignal(signal.SIGTERM) == runlog._interrupt
        with pytest.raises(KeyboardInterrupt):
            runlog._interrupt(signal.SIGTERM, None)
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
