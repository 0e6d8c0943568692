"""Debian packages: `ar` archives whose members are tar archives (deb(5))."""

import io
import lzma
import tarfile
import zlib
from pathlib import Path
from typing import IO

from nlmt.errors import InputError

_AR_MAGIC = b"!<arch>\n"
_AR_HEADER_SIZE = 60
_TAR_MODES = {"": "r|", ".gz": "r|gz", ".xz": "r|xz"}
_HINT = "remove the file and download the package again"


def read_control(path: Path) -> dict[str, str]:
    """The one-line fields of the package's control file: `Package`, `Version` ...

    Raises:
        InputError: no such file, not a Debian package, or damaged.
    """
    if not path.is_file():
        raise InputError("no such file", path=path)
    try:
        with path.open("rb") as stream:
            compression, _ = seek_member(stream, "control.tar", path)
            mode = _TAR_MODES[compression]
            with tarfile.open(fileobj=stream, mode=mode) as archive:  # type: ignore[call-overload]
                for member in archive:
                    if member.isreg() and member.name.removeprefix("./") == "control":
                        content = archive.extractfile(member)
                        assert content is not None
                        return _fields(content.read().decode("utf-8", "replace"))
    except (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError) as error:
        raise InputError(f"damaged Debian package: {error}", path=path, hint=_HINT) from error
    raise InputError("damaged Debian package: it holds no control file", path=path, hint=_HINT)


def _fields(control: str) -> dict[str, str]:
    fields = (line.partition(":") for line in control.split("\n") if line[:1].strip())
    return {key: value.strip() for key, _, value in fields}


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
            if compression not in _TAR_MODES:
                raise InputError(
                    f"{found}: this compression cannot be read here",
                    path=path,
                    hint="unpack it with dpkg-deb -x, and give the folder",
                )
            return compression, int(size)
        stream.seek(int(size) + int(size) % 2, io.SEEK_CUR)  # members start at even offsets
    raise InputError(f"damaged Debian package: it holds no {name}", path=path, hint=_HINT)
