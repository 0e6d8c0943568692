"""Hashes of files."""

import hashlib
from pathlib import Path

_BLOCK = 1 << 20


def file_hash(path: Path, method: str = "sha256") -> str:
    """The hash of a file, in hexadecimal.

    Args:
        path: the file.
        method: sha256, or sha1 or md5 if nothing else is published.
    """
    # Old methods still detect damage, though not every forgery.
    digest = hashlib.new(method, usedforsecurity=False)
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
