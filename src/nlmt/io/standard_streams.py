"""`-` on the command line: standard input as a file to read, standard output as one to write.

Both go through a temporary file, so that standard input can be read twice, and nothing is printed
of an output that fails half-way.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nlmt.errors import InputError

STANDARD = Path("-")


@contextmanager
def input_path(path: Path) -> Iterator[Path]:
    """Yield `path`, for `-` that of a file with what standard input holds.

    Raises:
        InputError: raised by the user of the file; standard input is named as such.
    """
    if path != STANDARD:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="nlmt.") as folder:
        held = Path(folder) / "standard-input"
        with held.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        try:
            yield held
        except InputError as error:
            if error.path is None or Path(error.path) != held:
                raise
            named = "standard input"
            raise InputError(error.what, path=named, line=error.line, hint=error.hint) from error


@contextmanager
def output_path(path: Path) -> Iterator[Path]:
    """Yield `path`, for `-` that of a file that is printed once it is complete."""
    if path != STANDARD:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="nlmt.") as folder:
        held = Path(folder) / "standard-output"
        yield held
        sys.stdout.flush()
        with held.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
        sys.stdout.buffer.flush()
