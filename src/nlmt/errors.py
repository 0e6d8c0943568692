"""The one exception for what a user can mend."""

from pathlib import Path


class InputError(ValueError):
    """A user's file or setting is wrong: says what, where and how to mend it, on one line."""

    def __init__(
        self, what: str, *, path: Path | str | None = None, line: int | None = None, mend: str = ""
    ) -> None:
        where = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(where + what + (f" ({mend})" if mend else ""))
