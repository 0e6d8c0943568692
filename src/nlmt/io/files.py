"""Text files, plain or gzip: strict reading and atomic writing."""

import glob
import gzip
import hashlib
import io
import os
import re
import shutil
import uuid
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import IO, TextIO

from nlmt.errors import InputError
from nlmt.io.locks import check_held

# Fast compression, as artefacts are large and read often; level 6 takes four times as long.
GZIP_LEVEL = 1
_BLOCK = 1 << 20  # bytes
GZIP, BZIP2, XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00"  # how such files begin
_MARK = b"\xef\xbb\xbf"  # U+FEFF at the beginning of UTF-8 text, which is no part of it
HEAD = 8  # bytes that tell what a file is
_UTF16 = ("UTF-16", "convert it with iconv -f utf-16 -t utf-8")
_NOT_TEXT = {
    GZIP: ("compressed with gzip", "decompress it with gunzip"),
    BZIP2: ("compressed with bzip2", "decompress it with bunzip2"),
    XZ: ("compressed with xz", "decompress it with unxz"),
    b"\x28\xb5\x2f\xfd": ("compressed with zstd", "decompress it with unzstd"),
    b"\x5d\x00\x00": ("compressed with lzma", "decompress it with unlzma"),
    b"\x1f\x9d": ("compressed with compress", "decompress it with uncompress"),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", "unpack it"),
    b"PK\x03\x04": ("a zip archive", "unpack it"),
    b"PAR1": ("parquet", "write its sentences to a text file, one a line, with pandas or duckdb"),
    b"%PDF": ("PDF", "write its sentences to a text file, one a line"),
    b"\xff\xfe\0\0": ("UTF-32", "convert it with iconv -f utf-32 -t utf-8"),
    b"\xff\xfe": _UTF16,
    b"\xfe\xff": _UTF16,
}
_DIGITS = 8  # of the part of a temporary name that differs, also between equal ids of processes
_HALF_WRITTEN = re.compile(rf"\.(\d+)-[0-9a-f]{{{_DIGITS}}}\.(.+)")  # see `temporary_beside`


@contextmanager
def atomic_path(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path in the folder of `path`; rename it on success, remove it on failure.

    The temporary name keeps the suffix, which determines compression. A link such as /dev/stdout, a
    pipe or a terminal is written directly, as a rename would replace it by a plain file.
    """
    path = Path(path)
    direct = path.is_symlink() or (path.exists() and not path.is_file())
    temporary = path if direct else temporary_beside(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield temporary
        if not direct:
            put_in_place(temporary, path)
    except BaseException as error:
        if not direct:
            temporary.unlink(missing_ok=True)
        # A failed write, as on a full disk, does not name the file.
        if (
            isinstance(error, OSError)
            and error.errno is not None
            and (error.filename is None or str(error.filename) == str(temporary))
        ):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def put_in_place(temporary: Path, path: Path) -> None:
    """Give a finished file, or new folder, its name.

    After a loss of power it has all of its content, or what it had before.

    Raises:
        InputError: another process took over a lock of this one.
    """
    inside = temporary.rglob("*") if temporary.is_dir() else ()
    for part in (*inside, temporary):
        _write_to_disk(part)
    check_held()
    temporary.replace(path)
    _write_to_disk(path.parent)


def _write_to_disk(path: Path) -> None:
    """Wait until the disk has the content of a file, or the names in a folder."""
    try:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError:
        # Some file systems write names to the disk by themselves; some folders cannot be read.
        if not path.is_dir():
            raise


def temporary_beside(path: Path) -> Path:
    """A new temporary path in the folder of `path`, with the id of this process and the suffix."""
    return path.with_name(f".{os.getpid()}-{_unique()}.{path.name}")


def half_written(path: Path) -> tuple[int, Path] | None:
    """The process that writes, or wrote, a path of `temporary_beside`, and its file.

    None for any other path.
    """
    match = _HALF_WRITTEN.fullmatch(path.name)
    return (int(match[1]), path.with_name(match[2])) if match else None


@contextmanager
def scratch_folder(output: Path | str) -> Iterator[Path]:
    """Yield an empty folder next to an output file, and remove it at the end.

    Its name is new: a process that was suspended, and lost its lock, writes nothing into the folder
    of the one that took over its work. A folder that such a process, or a killed one, has there is
    removed first.

    Raises:
        InputError: another process took over a lock of this one.
    """
    output = Path(output)
    check_held()
    for left in output.parent.glob(f".{glob.escape(output.name)}.{'[0-9a-f]' * _DIGITS}.work"):
        gone = _work_folder(output)  # without its old name, its process can add no file
        with suppress(OSError):
            left.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
    folder = _work_folder(output)
    try:
        folder.mkdir(parents=True)
        yield folder
    except FileNotFoundError:
        check_held()  # another process that took over the lock removed the folder
        raise
    finally:
        try:
            shutil.rmtree(folder, ignore_errors=True)
        except KeyboardInterrupt:
            shutil.rmtree(folder, ignore_errors=True)
            raise


def _work_folder(output: Path) -> Path:
    return output.with_name(f".{output.name}.{_unique()}.work")


def _unique() -> str:
    return uuid.uuid4().hex[:_DIGITS]


@contextmanager
def atomic_text(path: Path | str) -> Iterator[TextIO]:
    """Open `path` for atomic writing of UTF-8 text, gzip-compressed if it ends in `.gz`."""
    with (
        atomic_path(path) as temporary,
        _binary_writer(temporary) as raw,
        io.TextIOWrapper(raw, encoding="utf-8") as text,
    ):
        yield text


def write_lines(path: Path | str, lines: Iterable[str]) -> None:
    """Write `lines`, given without newlines, atomically."""
    with atomic_text(path) as text:
        text.writelines(f"{line}\n" for line in lines)


def write_text(path: Path | str, content: str) -> None:
    """Write `content` unchanged, atomically."""
    with atomic_text(path) as text:
        text.write(content)


def concatenate(parts: Sequence[Path | str], path: Path | str) -> None:
    """Write the concatenated bytes of `parts` atomically; gzip files become one gzip file."""
    with atomic_path(path) as temporary, temporary.open("wb") as out:
        for part in parts:
            with Path(part).open("rb") as stream:
                shutil.copyfileobj(stream, out)


def copy_file(path: Path, copy: Path) -> None:
    """Copy the bytes of a file in blocks, after each of which Ctrl-C ends it.

    `shutil.copyfile` copies up to 2 GB at once.
    """
    with path.open("rb") as stream, copy.open("wb") as out:
        shutil.copyfileobj(stream, out, _BLOCK)


def check_file(path: Path | str) -> Path:
    """The path, checked to be that of a file.

    Raises:
        InputError: there is none, or it is a folder.
    """
    path = Path(path)
    check_link(path)
    if not path.exists():
        raise InputError("no such file", path=path)
    if path.is_dir():
        raise InputError("a folder, not a file", path=path)
    return path


def check_link(path: Path) -> None:
    """Raise InputError for a symbolic link to what is not there."""
    if path.is_symlink() and not path.exists():
        raise InputError(f"a link to {path.readlink()}, which is not there", path=path)


def open_binary(path: Path | str) -> IO[bytes]:
    """Open `path` for reading bytes, decompressed where it ends in `.gz` or begins as gzip does."""
    path = check_file(path)
    if path.suffix == ".gz" or is_gzip(path):
        return gzip.open(path, "rb")  # type: ignore[return-value]
    return path.open("rb")


def begins_with(path: Path, head: bytes) -> bool:
    """Whether a file begins with some bytes; never a pipe, of which nothing may be taken."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(head)) == head


def is_gzip(path: Path) -> bool:
    """Whether a file begins as gzip does."""
    return begins_with(path, GZIP)


def not_utf8(error: UnicodeDecodeError, head: bytes, path: Path | str, line: int) -> InputError:
    """The error for a line that is not UTF-8, which says what the file is.

    `head` are the first bytes of the file.
    """
    return _other_kind(head, path) or InputError(
        f"not UTF-8 (byte {error.object[error.start]:#04x})",
        path=path,
        line=line,
        hint="convert the file, for example with iconv -f latin1 -t utf-8",
    )


def _other_kind(head: bytes, path: Path | str) -> InputError | None:
    """The error for a file that begins as some other kind of file does."""
    for beginning, (kind, remedy) in _NOT_TEXT.items():
        if head.startswith(beginning):
            return InputError(f"not UTF-8 text, but {kind}", path=path, hint=remedy)
    return None


def not_text(what: str, path: Path | str, line: int, head: bytes = b"") -> InputError:
    """The error for a line that is no text, such as UTF-16 without a mark.

    `head` are the first bytes of the file, if they may say what it is.
    """
    return _other_kind(head, path) or InputError(
        f"not text: {what}",
        path=path,
        line=line,
        hint="UTF-8 is expected; convert UTF-16 with iconv -f utf-16 -t utf-8",
    )


def read_lines(path: Path | str) -> Iterator[str]:
    """Yield the lines of a UTF-8 text file, plain or gzip, as `decoded_lines`.

    Raises:
        InputError: no such file, broken UTF-8, a NUL byte, or a damaged gzip stream; names file and
            line.
    """
    number = 0
    try:
        with open_binary(path) as stream:
            try:
                for line in decoded_lines(stream, path):
                    number += 1
                    yield line
            except InputError:
                while stream.read(_BLOCK):  # a wrong checksum would be the cause
                    pass
                raise
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        if number == 0 and not is_gzip(Path(path)) and Path(path).is_file():
            what = "named .gz, but not compressed with gzip"
            raise InputError(what, path=path, hint="give it a name without .gz") from error
        raise InputError(
            "damaged or truncated gzip file", path=path, line=number + 1, hint="make it again"
        ) from error


def decoded_lines(lines: Iterable[bytes], path: Path | str) -> Iterator[str]:
    """Yield the lines of a UTF-8 text, which is called `path` in messages, without their ends.

    Only a newline ends a line, with or without a carriage return before it; Unicode's other line
    separators are ordinary characters. A byte-order mark at the start goes.

    Raises:
        InputError: broken UTF-8, or a NUL byte; names the line.
    """
    head = b""
    for number, raw in enumerate(lines, start=1):
        if number == 1:
            head, raw = raw[:HEAD], raw.removeprefix(_MARK)
        try:
            line = raw.rstrip(b"\n").removesuffix(b"\r").decode("utf-8")
        except UnicodeDecodeError as error:
            raise not_utf8(error, head, path, number) from error
        if "\0" in line:
            raise not_text("a NUL byte", path, number, head)
        yield line


def read_whole(path: Path | str) -> str:
    """The content of a UTF-8 text file, plain or gzip, ten times as fast as line by line.

    Raises:
        InputError: as `read_lines`.
    """
    with (
        suppress(EOFError, gzip.BadGzipFile, zlib.error, UnicodeDecodeError),
        open_binary(path) as stream,
    ):
        content = stream.read().decode("utf-8")
        if "\0" not in content:
            return content
    return "\n".join(read_lines(path))  # which names the damaged line


@contextmanager
def _binary_writer(path: Path) -> Iterator[IO[bytes]]:
    """Open `path` for bytes; gzip has no name and time, so that equal content is equal bytes."""
    with path.open("wb") as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", GZIP_LEVEL, raw, mtime=0) as compressed:
                yield compressed  # type: ignore[misc]
        else:
            yield raw


def read_parallel(*paths: Path | str) -> Iterator[tuple[str, ...]]:
    """Yield corresponding lines of all files.

    Raises:
        InputError: a file ends before another.
    """
    return in_parallel([(path, read_lines(path)) for path in paths])


def in_parallel(files: Sequence[tuple[Path | str, Iterable[str]]]) -> Iterator[tuple[str, ...]]:
    """Yield corresponding lines of files, given by their names and lines.

    Raises:
        InputError: a file ends before another.
    """
    for number, lines in enumerate(zip_longest(*(own for _, own in files))):
        if None in lines:
            short, long = lines.index(None), [line is not None for line in lines].index(True)
            raise InputError(
                f"ends after {number} lines, but {files[long][0]} continues",
                path=files[short][0],
                hint="line i of each file must belong to the same sentence pair",
            )
        yield lines


def file_hash(path: Path, method: str = "sha256") -> str:
    """The hash of a file, in hexadecimal.

    The method is sha256, or sha1 or md5 if nothing else is published.
    """
    # Old methods still detect damage, though not every forgery.
    new = partial(hashlib.new, method, usedforsecurity=False)
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, new).hexdigest()
