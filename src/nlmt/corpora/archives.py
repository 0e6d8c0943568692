"""Files within archives, read without unpacking, so that nothing is written outside a folder.

Tar, with any compression, zip, Debian packages and folders. A hard link of a tar archive is another
name of one of its members, and is read as this. Other links, and devices, are never followed.
Content that decompresses to far more than its size, or to more than the disk's free space, is
refused.
"""

import difflib
import errno
import io
import logging
import lzma
import os
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, Self, TypeAlias, cast

from typing_extensions import override

from nlmt.corpora.debian import seek_member
from nlmt.corpora.text_files import ARCHIVE, TextFile
from nlmt.errors import SPACE_HINT, InputError
from nlmt.io.files import BZIP2, GZIP, HEAD, XZ, check_file
from nlmt.io.streams import DECOMPRESSORS

# Text is compressed to a third or a tenth, lists of equal lines to a hundredth.
_MOST_TIMES = 250
_ALLOWED = 64 << 20  # bytes that anything may decompress to
_LONGEST = 64 << 20  # bytes of a member that is read as a whole: pages are far shorter
_NAMED = 3  # of the members that a message counts
_BUFFER = 1 << 17
_HINT = "remove the file and download it again, or give its name the right ending"
# How files with these suffixes begin.
_COMPRESSED = {".gz": GZIP, ".tgz": GZIP, ".xz": XZ, ".txz": XZ, ".bz2": BZIP2}
_DAMAGE = (
    OSError,  # bz2 has no other; zipfile seeks wherever the archive says
    tarfile.TarError,
    zipfile.BadZipFile,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    NotImplementedError,  # from zipfile, for a compression that it lacks
)


_Opener: TypeAlias = Callable[[], IO[bytes]]


class _Member(NamedTuple):
    """A member of an archive, or a file of a folder.

    Attributes:
        open: opens it, or raises InputError; None unless it is a regular file.
        target: of a hard link, the name of the member that has its content.
    """

    name: str
    size: int
    open: _Opener | None
    target: str = ""


@contextmanager
def open_file(file: TextFile) -> Iterator[IO[bytes]]:
    """Open a file or a member of an archive, decompressed by its suffix or its first bytes.

    Raises:
        InputError: no such file or member, a link, device or pipe, sparse, encrypted, damaged, or a
            decompression bomb, the last two also during reading; or, after it, a member that comes
            twice.
    """
    with _damage_named(file):
        if file.member:
            with _open_member(file) as stream:
                yield _text_bytes(stream, PurePosixPath(file.member).suffix, file)
        else:
            if not check_file(file.path).is_file():  # read again, as for another part, it waits
                raise InputError("a pipe or device, not a file", path=file.path)
            with file.path.open("rb") as raw:
                yield _text_bytes(raw, file.path.suffix, file)


def members(path: Path, wanted: Callable[[str], object]) -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) of each regular file in an archive or folder whose name is wanted.

    Names are relative to the root, as `usr/share/...`, in the order of the archive, hard links
    last. What has the suffix of a compression is decompressed. The log says how many of the
    wanted are links or devices, which are left out.

    Raises:
        InputError: no such archive, damaged, a decompression bomb, a wanted member that is sparse
            or encrypted, of more than 64 MB, that comes twice, or whose name is not UTF-8, or any
            whose name is absolute or leads out of the folder.
    """
    links: dict[str, list[str]] = {}  # names of hard links, by the member that they lead to
    left_out: list[str] = []
    for member in _wanted(path, wanted):
        if member.target:
            links.setdefault(member.target, []).append(member.name)
        elif member.open is None:
            left_out.append(member.name)
        else:
            yield member.name, _content(path, member)
    if links:  # a stream does not go back to what they lead to
        for member in _wanted(path, frozenset(links).__contains__):
            if member.open is not None:
                content = _content(path, member)
                yield from ((name, content) for name in links.pop(member.name))
        left_out += chain.from_iterable(links.values())
    if left_out:
        what = "%s: left out %d links or devices, such as %s"
        logging.warning(what, path, len(left_out), ", ".join(left_out[:_NAMED]))


def _wanted(path: Path, wanted: Callable[[str], object]) -> Iterator[_Member]:
    """The members whose names are wanted, each of which comes once."""
    found: set[str] = set()
    for member in _files(path):
        if wanted(member.name):
            try:
                member.name.encode()
            except UnicodeEncodeError as error:
                what = f"a member name is not UTF-8: {member.name!r}"
                raise InputError(what, path=path) from error
            if member.name in found:
                raise _twice(TextFile(path, member.name))
            found.add(member.name)
            yield member


def _content(path: Path, member: _Member) -> bytes:
    """The decompressed content of a regular file."""
    assert member.open is not None
    file = TextFile(path, member.name)
    with _damage_named(file), member.open() as opened:
        _check_size(member.size, file)
        suffix = PurePosixPath(member.name).suffix
        content = _decompressed(opened, suffix, file).read(_LONGEST + 1)
    if len(content) > _LONGEST:
        what = f"more than {_LONGEST >> 20} MB, too much for a page"
        raise InputError(what, path=str(file), hint="split it, or leave it out")
    return content


def member_names(path: Path) -> Iterator[str]:
    """Yield the names of the regular files, and their hard links, in an archive or folder.

    Raises:
        InputError: as in `members`.
    """
    return (member.name for member in _files(path) if member.open is not None or member.target)


def read_control(path: Path) -> dict[str, str]:
    """The one-line fields of a Debian package's control file: `Package`, `Version` ...

    Raises:
        InputError: no such file, not a Debian package, or damaged.
    """
    file = TextFile(check_file(path), "control")
    with _damage_named(file):
        for member in _of_deb(path, "control.tar"):
            if member.name == file.member and member.open is not None:
                with member.open() as opened:
                    lines = opened.read().decode("utf-8", "replace").split("\n")
                fields = (line.partition(":") for line in lines if line[:1].strip())
                return {key: value.strip() for key, _, value in fields}
    raise InputError("damaged Debian package: it holds no control file", path=path, hint=_HINT)


@contextmanager
def _open_member(file: TextFile) -> Iterator[IO[bytes]]:
    """The bytes of one member, as stored in the archive."""
    names: list[str] = []
    found = _files(file.path)
    for member in found:
        if member.name != file.member:
            names.append(member.name)
            continue
        opening: AbstractContextManager[IO[bytes]]
        if member.open is not None:
            opening = member.open()
        elif member.target and member.target in names:
            opening = _open_member(TextFile(file.path, member.target))
        else:
            raise InputError("a link, device or folder, not a file", path=str(file))
        with opening as opened:
            _check_size(member.size, file)
            yield opened
        if any(other.name == file.member for other in found):  # unpacked, it would replace this
            raise _twice(file)
        return
    near = difflib.get_close_matches(file.member, names, _NAMED, cutoff=0.4) or names[:_NAMED]
    raise InputError(
        f"no {file.member} in this archive", path=file.path, hint=f"it has {', '.join(near)} ..."
    )


def _files(path: Path) -> Iterator[_Member]:
    """The members of an archive, without its folders, or the files of a folder."""
    archive = TextFile(path)
    if not path.exists():
        raise InputError("no such file", path=path)
    with _damage_named(archive):
        if path.is_dir():
            yield from _of_folder(path)
        elif path.suffix.lower() == ".zip":
            yield from _of_zip(path)
        elif path.suffix.lower() == ".deb":
            yield from _of_deb(path, "data.tar")
        elif ARCHIVE.search(path.name):
            with path.open("rb") as raw:
                yield from _of_tar(_decompressed(raw, path.suffix.lower(), archive), path)
        else:
            hint = (
                "tar (also with gz, xz or bz2), zip, deb or a folder: unpack what is none of them"
            )
            raise InputError("not an archive that can be read here", path=path, hint=hint)


def _of_folder(folder: Path) -> Iterator[_Member]:
    def fail(error: OSError) -> None:
        raise error  # a folder that cannot be read would be left out

    found: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=fail):
        found += (Path(place, name) for name in names)
        for path in (Path(place, name) for name in folders):
            if path.is_symlink():
                logging.warning("%s: a link to a folder, which is not followed", path)
    for path in sorted(found):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not path.is_symlink():
            yield _Member(name, path.stat().st_size, cast(_Opener, partial(path.open, "rb")))
        else:
            yield _Member(name, 0, None)


def _of_deb(path: Path, part: str) -> Iterator[_Member]:
    """The members of a tar archive in a Debian package."""
    with path.open("rb") as raw:
        suffix, size = seek_member(raw, part, path)
        data = io.BufferedReader(_Counted(raw, size))
        yield from _of_tar(_decompressed(data, suffix, TextFile(path)), path)


class _StrictMember(tarfile.TarInfo):
    """A member whose header is damaged or cut off is a fault, not the end of the archive."""

    @classmethod
    @override
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]  # the end
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from error


def _of_tar(stream: IO[bytes], path: Path) -> Iterator[_Member]:
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_StrictMember) as archive:
        links: dict[str, str] = {}  # what hard links lead to, which may be other ones
        for member in archive:
            name = _safe_name(member.name, path)
            if member.islnk():
                target = PurePosixPath(member.linkname).as_posix()
                links[name] = target = links.get(target, target)
                if target != name:  # as tar stores a file that it is given twice
                    yield _Member(name, 0, None, target)
            elif member.issparse():
                # It declares any number of zeros in a few bytes.
                hint = "pack it without --sparse"
                error = InputError("a sparse file", path=f"{path}/{name}", hint=hint)
                yield _Member(name, member.size, _refusing(error))
            elif not member.isdir():
                opener = cast(_Opener, partial(archive.extractfile, member))
                yield _Member(name, member.size, opener if member.isreg() else None)
        # Zeros fill the last record; then comes the checksum of the compression.
        rest = cast(IO[bytes], archive.fileobj)
        while block := rest.read(_BUFFER):
            if block.strip(b"\0"):
                hint = "if it is archives joined by cat, unpack it with tar -i and give the folder"
                raise InputError("more follows the end of the archive", path=path, hint=hint)


def _of_zip(path: Path) -> Iterator[_Member]:
    try:
        opened = zipfile.ZipFile(path)
    except UnicodeDecodeError as error:
        raise InputError("a member name in the archive is not UTF-8", path=path) from error
    with opened as archive:
        for member in archive.infolist():
            name = _safe_name(member.filename, path)
            if member.is_dir():
                continue
            mode = stat.S_IFMT(member.external_attr >> 16)
            limit = _ALLOWED + _MOST_TIMES * member.compress_size
            if member.file_size > limit:
                raise _bomb(TextFile(path, name))
            # No more than the declared size is ever read.
            regular = mode in (0, stat.S_IFREG)
            opener: _Opener = partial(archive.open, member)
            if member.flag_bits & 1:
                hint = "unpack it with its password, and give the folder"
                opener = _refusing(InputError("encrypted", path=f"{path}/{name}", hint=hint))
            yield _Member(name, member.file_size, opener if regular else None)


def _refusing(error: InputError) -> _Opener:
    """An opener of a member that cannot be read."""

    def refuse() -> IO[bytes]:
        raise error

    return refuse


def _safe_name(name: str, path: Path) -> str:
    """The member's name relative to the root; refuse one that is empty or points outside."""
    parts = PurePosixPath(name).parts
    if not name or name.startswith("/") or ".." in parts or "\\" in name or "\0" in name:
        raise InputError(f"unsafe member name {name!r} in the archive", path=path)
    return "/".join(parts)


def _check_size(size: int, file: TextFile) -> None:
    """Refuse content that would not fit on the disk."""
    free = shutil.disk_usage(Path()).free
    if size > free:
        raise InputError(
            f"declares {size} bytes, and the disk has {free} free",
            path=str(file),
            hint=SPACE_HINT,
        )


@contextmanager
def _damage_named(file: TextFile) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        what = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"damaged or truncated: {what}", path=str(file), hint=_HINT) from error


def _text_bytes(stream: IO[bytes], suffix: str, file: TextFile) -> IO[bytes]:
    """The bytes of a text, decompressed by its suffix or, if that names none, its first bytes."""
    if suffix not in _COMPRESSED:
        head = cast(io.BufferedReader, stream).peek(HEAD)
        found = (kind for kind, beginning in _COMPRESSED.items() if head.startswith(beginning))
        suffix = next(found, suffix)
    return _decompressed(stream, suffix, file)


def _decompressed(stream: IO[bytes], suffix: str, file: TextFile) -> IO[bytes]:
    """The decompressed bytes of a stream, up to a limit."""
    if suffix not in _COMPRESSED:
        return stream
    counted = _Counted(stream)
    decompress = DECOMPRESSORS[_COMPRESSED[suffix]]
    decompressor = decompress(cast(IO[bytes], io.BufferedReader(counted)))
    return io.BufferedReader(_Bounded(decompressor, counted, file), _BUFFER)


class _Counted(io.RawIOBase):
    """A stream that counts the bytes read, and may end before the underlying one."""

    def __init__(self, stream: IO[bytes], size: int | None = None) -> None:
        self._stream, self._size = stream, size
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        most = len(buffer) if self._size is None else min(len(buffer), self._size - self.count)
        data = self._stream.read(most)
        buffer[: len(data)] = data
        self.count += len(data)
        return len(data)


class _Bounded(io.RawIOBase):
    """A decompressed stream that fails when it becomes far longer than its source."""

    def __init__(self, stream: Any, source: _Counted, file: TextFile) -> None:
        self._stream, self._source, self._file = stream, source, file
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _damage_named(self._file):
            data: bytes = self._stream.read(len(buffer))
        self._count += len(data)
        if self._count > _ALLOWED + _MOST_TIMES * self._source.count:
            raise _bomb(self._file)
        buffer[: len(data)] = data
        return len(data)


def _bomb(file: TextFile) -> InputError:
    return InputError(
        f"decompresses to more than {_MOST_TIMES} times its size",
        path=str(file),
        hint="possibly made to fill the disk; decompress it by hand if you trust it",
    )


def _twice(file: TextFile) -> InputError:
    return InputError("comes twice", path=str(file), hint="leave one of them in the archive")
