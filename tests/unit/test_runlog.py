"""Messages of the system: one line that says what to do."""

import errno
import os

import pytest

from nlmt.runlog import describe

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
