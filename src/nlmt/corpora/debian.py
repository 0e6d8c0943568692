"""Debian packages: `ar` archives whose members are tar archives (deb(5))."""

import io
from pathlib import Path
from typing import IO

from nlmt.errors import InputError

_AR_MAGIC = b"!<arch>\n"
_AR_HEADER_SIZE = 60
_COMPRESSIONS = ("", ".gz", ".xz")
_HINT = "remove the file and download the package again"


def seek_member(stream: IO[bytes], name: str, path: Path) -> tuple[str, int]:
    """Seek `stream` to the member of the package whose name begins with `name`, as data.tar.

    Returns:
        The rest of its name (`.gz`, `.xz` or nothing), and its size in bytes.

    Raises:
        InputError: not a Debian package, damaged, or another compression.
    """
    if stream.read(len(_AR_MAGIC)) != _AR_MAGIC:
        raise InputError("not a Debian package", path=path, hint=_HINT)
    while len(header := stream.read(_AR_HEADER_SIZE)) == _AR_HEADER_SIZE:
        found = header[:16].decode("ascii", "replace").strip().rstrip("/")
        size = header[48:58].strip()
        if not size.isdigit():
            break
        if found.startswith(name):
            compression = found.removeprefix(name)
            if compression not in _COMPRESSIONS:
                raise InputError(
                    f"{found}: this compression cannot be read here",
                    path=path,
                    hint="unpack it with dpkg-deb -x, and give the folder",
                )
            return compression, int(size)
        stream.seek(int(size) + int(size) % 2, io.SEEK_CUR)  # members start at even offsets
    raise InputError(f"damaged Debian package: it holds no {name}", path=path, hint=_HINT)
