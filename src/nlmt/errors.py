"""The one exception for what a user can fix."""

from pathlib import Path

_LONGEST = 400  # characters of a line of a message: a damaged file may hold a word of megabytes


class InputError(ValueError):
    """A user's file or setting is wrong: says what, where and how to fix it, on one line.

    Attributes:
        what: what is wrong, without the place.
        path: the file, if it is one.
        line: of the file, from 1.
        hint: what to do about it; may be empty.
    """

    def __init__(
        self, what: str, *, path: Path | str | None = None, line: int | None = None, hint: str = ""
    ) -> None:
        self.what, self.path, self.line, self.hint = what, path, line, hint
        where = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(where + _readable(what) + (f" ({_readable(hint)})" if hint else ""))


def _readable(text: str) -> str:
    """The text without control characters, each line shortened in the middle if too long."""
    return "\n".join(map(_readable_line, text.split("\n")))


def _readable_line(text: str) -> str:
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
