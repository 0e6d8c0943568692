"""Files that keep scores of neural models from one run of the decoder to the next."""

import hashlib
import logging
import struct
from dataclasses import dataclass
from pathlib import Path

from nlmt import __version__
from nlmt.errors import InputError
from nlmt.io.files import atomic_path
from nlmt.neural.model_files import CONFIG, MODEL, VOCABULARY
from nlmt.neural.outputs.layout import CLASSES

log = logging.getLogger(__name__)

_FIRST_BYTES = b"nlmt scores\r\n\x1a"
_HEAD = struct.Struct(f"<{len(_FIRST_BYTES)}s32s32s")  # magic, model, checksum


@dataclass(frozen=True)
class ScoreFile:
    """The file that keeps the scores of one model.

    A file of another model, other scores or another version, or a damaged file, is ignored: it is
    overwritten when a text is translated.

    Attributes:
        path: of the file, which may not exist.
        fingerprint: 32 bytes, of all on which the scores depend.
    """

    path: Path
    fingerprint: bytes

    @classmethod
    def of_model(cls, path: Path, folder: Path, scores: str, *, eight_bits: bool) -> "ScoreFile":
        """The file at `path` for the model in `folder`; `scores` is `normalised` or not."""
        digest = hashlib.sha256(f"{__version__} {scores} {eight_bits}".encode())
        for name in (MODEL, CONFIG, VOCABULARY, CLASSES):
            digest.update(hashlib.sha256((folder / name).read_bytes()).digest())
        return cls(path, digest.digest())

    def read(self) -> bytes:
        """The bytes of `Model.kept_scores`; empty if there are none that can be used.

        Raises:
            InputError: the file is of another kind, and must not be overwritten.
        """
        if not self.path.exists():
            return b""
        content = self.path.read_bytes() if self.path.is_file() else b""
        if not content.startswith(_FIRST_BYTES):
            raise InputError(
                "not a file of kept scores", path=self.path, hint="give cache= another name"
            )
        kept = content[_HEAD.size :]
        if len(content) >= _HEAD.size:
            _, model, checksum = _HEAD.unpack_from(content)
            if model != self.fingerprint:
                log.info("%s: kept for another model: starting with an empty file", self.path)
                return b""
            if checksum == hashlib.sha256(kept).digest():
                return kept
        log.warning("%s: damaged: starting with an empty file", self.path)
        return b""

    def write(self, kept: bytes) -> None:
        """Write the bytes of `Model.kept_scores`."""
        head = _HEAD.pack(_FIRST_BYTES, self.fingerprint, hashlib.sha256(kept).digest())
        with atomic_path(self.path) as place:
            place.write_bytes(head + kept)
