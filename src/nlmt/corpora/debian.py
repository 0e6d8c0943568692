"""Debian packages: `ar` archives whose members are tar archives (deb(5)); their versions."""

import io
import re
from pathlib import Path
from typing import IO, TypeAlias

from nlmt.errors import InputError

_AR_MAGIC = b"!<arch>\n"
_AR_HEADER_SIZE = 60
_COMPRESSIONS = ("", ".gz", ".xz")
_VERSION_PIECE = re.compile("([^0-9]*)([0-9]*)")
_HINT = "remove the file and download the package again"

# Ranks of characters and of their end, then the length and the digits of a number.
_PieceKey: TypeAlias = tuple[list[tuple[int, str]], int, str]


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


def version_key(version: str) -> tuple[list[_PieceKey], ...]:
    """Return a key that sorts versions from old to new, as deb-version(7) orders them."""
    epoch, _, rest = version.partition(":") if ":" in version else ("0", "", version)
    upstream, _, revision = rest.rpartition("-") if "-" in rest else (rest, "", "0")
    return tuple(map(_part_key, (epoch, upstream, revision)))


def _part_key(part: str) -> list[_PieceKey]:
    """The key of a part of a version, in which characters and numbers take turns."""
    return [
        ([*map(_rank, text), (0, "")], len(digits := number.lstrip("0")), digits)
        for text, number in _VERSION_PIECE.findall(part)
    ]


def _rank(character: str) -> tuple[int, str]:
    """The rank of a character: `~` comes before the end, which is 0, and letters before others."""
    if character == "~":
        return -1, character
    return (1 if character.isalpha() else 2), character
