"""The exception for mistakes that the user can correct."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SPACE_HINT = "free some space, then run the same command again"
_LONGEST = 400  # characters of a line of a message, as a damaged file may have words of megabytes


class InputError(ValueError):
    """A user's file or setting is wrong; the message is one line with place and remedy.

    Attributes:
        what: the fault, without the place.
        path: the file, if the fault is in a file.
        line: of the file, from 1.
        hint: how to correct it; may be empty.
    """

    def __init__(
        self, what: str, *, path: Path | str | None = None, line: int | None = None, hint: str = ""
    ) -> None:
        self.what, self.path, self.line, self.hint = what, path, line, hint
        where = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(where + _readable(what) + (f" ({_readable(hint)})" if hint else ""))


class UsageError(InputError):
    """The arguments of a command are wrong."""


@contextmanager
def in_file(path: Path | str, line: int | None = None) -> Iterator[None]:
    """Raise a ValueError from within as an InputError with file and line, unless it has a file."""
    try:
        yield
    except ValueError as error:
        if not isinstance(error, InputError):
            raise InputError(str(error), path=path, line=line) from error
        if error.path is None:
            raise InputError(error.what, path=path, line=line, hint=error.hint) from error
        raise


def space_hint(message: str) -> str:
    """The hint for another program's or library's message that a disk is full, else empty."""
    full = os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT)
    return SPACE_HINT if any(text in message for text in full) else ""


def _readable(text: str) -> str:
    """The text without control characters; lines that are too long are shortened in the middle."""
    return "\n".join(map(_readable_line, text.split("\n")))


def _readable_line(text: str) -> str:
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
