"""Read a Debian package's files through memory: nothing is unpacked, so nothing can leave a folder.

A `.deb` is an `ar` archive whose member `data.tar.*` holds the files (deb(5)).
"""

import io
import lzma
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from nlmt.errors import InputError

_AR_MAGIC = b"!<arch>\n"
_AR_HEADER_SIZE = 60
_TAR_MODES = {"": "r|", ".gz": "r|gz", ".xz": "r|xz"}
_HINT = "remove the file and get the package again"


def read_deb(path: Path, suffix: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) of each regular file of the package whose name ends in `suffix`.

    Names are relative to the root, as `usr/share/...`, in the order of the archive.

    Raises:
        InputError: no such file, not a Debian package, damaged, or a member whose name is
            absolute or climbs out of the folder.
    """
    return _read_archive(path, "data.tar", suffix)


def read_control(path: Path) -> dict[str, str]:
    """The one-line fields of the package's control file: `Package`, `Version` ...

    Raises:
        InputError: as `read_deb`.
    """
    for name, content in _read_archive(path, "control.tar", "control"):
        if name == "control":
            lines = content.decode("utf-8", "replace").split("\n")
            fields = (line.partition(":") for line in lines if line[:1].strip())
            return {key: value.strip() for key, _, value in fields}
    raise InputError("damaged Debian package: it holds no control file", path=path, hint=_HINT)


def _read_archive(path: Path, archive_name: str, suffix: str) -> Iterator[tuple[str, bytes]]:
    if not path.is_file():
        raise InputError("no such file", path=path)
    try:
        with path.open("rb") as stream:
            mode = _seek_archive(stream, archive_name, path)
            with tarfile.open(fileobj=stream, mode=mode) as archive:  # type: ignore[call-overload]
                for member in archive:
                    name = _safe_name(member.name, path)
                    if member.isreg() and name.endswith(suffix):
                        content = archive.extractfile(member)
                        assert content is not None
                        yield name, content.read()
    except (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError) as error:
        raise InputError(f"damaged Debian package: {error}", path=path, hint=_HINT) from error


def _seek_archive(stream: IO[bytes], archive_name: str, path: Path) -> str:
    """Put `stream` at the start of the archive; return the mode that tarfile needs."""
    if stream.read(len(_AR_MAGIC)) != _AR_MAGIC:
        raise InputError("not a Debian package", path=path, hint=_HINT)
    while len(header := stream.read(_AR_HEADER_SIZE)) == _AR_HEADER_SIZE:
        name = header[:16].decode("ascii", "replace").strip().rstrip("/")
        size = header[48:58].strip()
        if not size.isdigit():
            break
        if name.startswith(archive_name):
            compression = name.removeprefix(archive_name)
            if compression not in _TAR_MODES:
                raise InputError(f"{name}: this compression cannot be read here", path=path)
            return _TAR_MODES[compression]
        stream.seek(int(size) + int(size) % 2, io.SEEK_CUR)  # members start at even offsets
    raise InputError(f"damaged Debian package: it holds no {archive_name}", path=path, hint=_HINT)


def _safe_name(name: str, path: Path) -> str:
    """The member's name relative to the root; refuse one that points outside."""
    parts = PurePosixPath(name).parts
    if name.startswith("/") or ".." in parts or "\\" in name or "\0" in name:
        raise InputError(f"unsafe member name {name!r} in the package", path=path)
    return "/".join(parts)
