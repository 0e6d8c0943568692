"""Hashes of files."""

import hashlib
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import Field

Sha256: TypeAlias = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]

_BLOCK = 1 << 20


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
