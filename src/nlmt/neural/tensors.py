"""Arrays by name in one file: safetensors, written whole or not at all, with a checksum."""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from nlmt.errors import InputError, space_hint
from nlmt.io.files import put_in_place, scratch_folder

Tensors = dict[str, NDArray[Any]]
Parameters = dict[str, NDArray[np.float32]]
# The only entry of a file's metadata, JSON: safetensors writes several in an arbitrary order.
NOTES = "nlmt"
CHECKSUM = "checksum"  # of arrays and metadata; files of other tools lack it
# On damaged files, and on numbers that numpy lacks, such as bfloat16.
_ERRORS = (SafetensorError, OSError, TypeError, ValueError, AttributeError, RecursionError)


def write_tensors(
    path: Path,
    tensors: Tensors,
    metadata: dict[str, str] | None = None,
    *,
    previous: Path | None = None,
) -> None:
    """Write a safetensors file, atomically, with metadata and a checksum.

    `previous` gets the file that is at `path` now, which is replaced otherwise.

    Raises:
        InputError: it cannot be written, as on a full disk.
    """
    # safetensors has a temporary name of its own, which a process that is killed leaves behind.
    metadata = metadata or {}
    notes = json.dumps(metadata | {CHECKSUM: _checksum(tensors, metadata)}, sort_keys=True)
    with scratch_folder(path) as folder:
        temporary = folder / path.name
        temporary.touch()
        mode = temporary.stat().st_mode
        try:
            save_file(tensors, temporary, {NOTES: notes})
        except SafetensorError as error:
            what, hint = f"cannot be written ({error})", space_hint(str(error))
            raise InputError(what, path=path, hint=hint) from error
        temporary.chmod(mode)  # safetensors makes files that only their owner may read
        if previous is not None and path.exists():
            put_in_place(path, previous)
        put_in_place(temporary, path)


def read_tensors(
    path: Path, hint: str = "make it again", *, unchecked: bool = True
) -> tuple[Tensors, dict[str, str]]:
    """All arrays of a safetensors file, and its metadata.

    Args:
        path: of the file.
        hint: what to do if it is damaged.
        unchecked: whether the file may lack a checksum.

    Raises:
        InputError: no such file, or it is truncated or damaged.
    """
    if not path.is_file():
        raise InputError("no such file", path=path)
    try:
        with safe_open(path, framework="numpy") as stream:
            notes = json.loads((stream.metadata() or {}).get(NOTES, "{}"))
            tensors = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118
            metadata = {str(key): str(value) for key, value in notes.items()}
    except _ERRORS as error:
        raise InputError(f"truncated or damaged ({error})", path=path, hint=hint) from error
    wanted = metadata.pop(CHECKSUM, None)
    if wanted is None and not unchecked:
        what = "without a checksum: damaged, or of an earlier version of nlmt"
        raise InputError(what, path=path, hint=hint)
    if wanted is not None and wanted != _checksum(tensors, metadata):
        what = "damaged: its content does not match its checksum"
        raise InputError(what, path=path, hint=hint)
    return {name: np.ascontiguousarray(values) for name, values in tensors.items()}, metadata


def _checksum(tensors: Tensors, metadata: dict[str, str]) -> str:
    """CRC-32 of metadata, names, types, shapes and bytes."""
    arrays = sorted(tensors.items())
    kinds = [(name, values.dtype.str, values.shape) for name, values in arrays]
    result = zlib.crc32(json.dumps([metadata, kinds], sort_keys=True).encode())
    for _, values in arrays:
        result = zlib.crc32(np.ascontiguousarray(values).data, result)
    return f"{result:08x}"
