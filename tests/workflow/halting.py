"""A plugin that halts a job right after it has written a certain file.

A test that interrupts the job then has all the time it needs, however fast or busy the machine.
`NLMT_HALT` is a folder with a file of that name, whose text is the end of the path to halt at; the
job goes on when it is gone.
"""

import os
import select
from contextlib import suppress
from pathlib import Path

_HALT = Path(os.environ["NLMT_HALT"])
_replace = Path.replace


def _replace_and_halt(self: Path, target: Path) -> Path:
    """Rename a file, as `nlmt.io.files.atomic_path` does at the end; halt at certain ones."""
    written = _replace(self, target)
    with suppress(FileNotFoundError):
        while str(written).endswith((_HALT / written.name).read_text()):
            select.select([], [], [], 0.05)  # time.sleep fails where a test sets the clock
    return written


Path.replace = _replace_and_halt  # type: ignore[assignment,method-assign]
