"""Decompression of files that may hold several compressed streams, one after the other."""

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from functools import partial
from typing import IO, Any

from nlmt.io.files import BZIP2, GZIP, XZ


class _Streams(io.RawIOBase):
    """The content of compressed streams, one after the other, with zeros between them at most.

    Python's own readers of xz and bzip2 end, without an error, at what begins no stream.
    """

    def __init__(self, source: IO[bytes], decompressor: Callable[[], Any]) -> None:
        self._source, self._new_decompressor = source, decompressor
        self._decompressor = decompressor()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = b""
        while not data:
            block = b""
            if self._decompressor.eof:
                block = self._next_stream()
                if not block:
                    break
                self._decompressor = self._new_decompressor()
            elif self._decompressor.needs_input:
                block = self._source.read(io.DEFAULT_BUFFER_SIZE)
                if not block:
                    raise EOFError("the end of a compressed stream is missing")
            data = self._decompressor.decompress(block, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _next_stream(self) -> bytes:
        """The first bytes of the next stream, if there is one."""
        block: bytes = self._decompressor.unused_data.lstrip(b"\0")
        while not block and (more := self._source.read(io.DEFAULT_BUFFER_SIZE)):
            block = more.lstrip(b"\0")
        return block


# By the first bytes: opens a stream of bytes for reading its decompressed bytes. Damage raises
# OSError, EOFError, zlib.error or lzma.LZMAError.
DECOMPRESSORS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    GZIP: lambda source: gzip.GzipFile(fileobj=source),
    BZIP2: partial(_Streams, decompressor=bz2.BZ2Decompressor),
    XZ: partial(_Streams, decompressor=partial(lzma.LZMADecompressor, lzma.FORMAT_XZ)),
}
