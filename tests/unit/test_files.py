"""Text files: strict on reading, whole or not at all on writing."""

import bz2
import errno
import gzip
import hashlib
import lzma
import os
import stat
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from nlmt.errors import InputError
from nlmt.io.files import (
    atomic_path,
    atomic_text,
    check_file,
    file_hash,
    half_written,
    is_gzip,
    put_in_place,
    read_lines,
    read_parallel,
    read_whole,
    scratch_folder,
    write_lines,
    write_text,
)


@pytest.mark.parametrize("name", ["text.txt", "text.gz"])
def test_lines_come_back_as_written(tmp_path, name):
    lines = ["premier", "", "avec\u2028séparateur et \x85", "fin"]
    write_lines(tmp_path / name, lines)
    assert list(read_lines(tmp_path / name)) == lines


def test_equal_content_is_equal_bytes(tmp_path):
    for name in ("a.gz", "b.gz"):
        write_lines(tmp_path / name, ["x"] * 100)
    content = (tmp_path / "a.gz").read_bytes()
    assert content == (tmp_path / "b.gz").read_bytes()
    assert content[:9] == b"\x1f\x8b\x08\0\0\0\0\0\4"  # gzip, no name, no time, the fastest


def test_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "text.gz"
    write_lines(path, ["old"])

    def fail_half_way():
        with atomic_text(path) as text:
            text.write("half a")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert list(read_lines(path)) == ["old"]
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(KeyboardInterrupt), atomic_text(path):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == [path]


def test_folders_of_a_file_are_made(tmp_path):
    write_text(tmp_path / "a" / "b" / "text", "a\n")
    assert (tmp_path / "a" / "b" / "text").read_text() == "a\n"


def test_a_folder_that_cannot_be_read_takes_files(tmp_path, monkeypatch):
    def refusing(path, flags, *mode):
        if Path(path) == tmp_path:
            raise PermissionError(errno.EACCES, "not readable", str(path))
        return opened(path, flags, *mode)

    opened = os.open
    monkeypatch.setattr(os, "open", refusing)
    write_text(tmp_path / "file", "text\n")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_work_folders_that_cannot_be_removed_stay(tmp_path, monkeypatch):
    (tmp_path / ".a.0123abcd.work").mkdir()
    monkeypatch.setattr(os, "rmdir", mock.Mock(side_effect=PermissionError))
    with scratch_folder(tmp_path / "a"):
        pass
    assert len(list(tmp_path.iterdir())) == 2


def test_an_interruption_while_a_work_folder_is_removed(tmp_path, monkeypatch):
    refused = mock.Mock(side_effect=[KeyboardInterrupt, PermissionError])
    monkeypatch.setattr(os, "rmdir", refused)
    with pytest.raises(KeyboardInterrupt), scratch_folder(tmp_path / "a"):
        pass
    assert len(list(tmp_path.iterdir())) == 1


def test_a_link_is_written_through_and_stays(tmp_path):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old\n")
    link.symlink_to(target)
    write_lines(link, ["new"])
    assert link.is_symlink()
    assert target.read_text() == "new\n"
    with pytest.raises(KeyError), atomic_path(link):
        raise KeyError
    assert link.is_symlink()


def test_a_pipe_is_written_through_and_nothing_is_taken_from_it(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with atomic_path(pipe) as path, path.open("wb") as out:
        out.write(gzip.compress(b"a\n"))
        out.flush()
        assert not is_gzip(pipe)
    assert pipe.is_fifo()
    assert os.read(reader, 100) == gzip.compress(b"a\n")
    os.close(reader)


def test_latin1_is_an_error_with_its_line(tmp_path):
    path = tmp_path / "latin1.txt"
    path.write_bytes("bon\ndéjà\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin1\.txt:2: not UTF-8 \(byte 0xe9\)"):
        list(read_lines(path))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            bz2.compress("déjà\n".encode()),
            r"not UTF-8 text, but compressed with bzip2 \(.*bunzip2\)",
        ),
        (lzma.compress(b"x\n"), r"not UTF-8 text, but compressed with xz \(.*unxz\)"),
        ("déjà\n".encode("utf-16"), r"not UTF-8 text, but UTF-16 \(.*iconv -f utf-16 -t utf-8\)"),
        ("déjà\n".encode("utf-32"), r"not UTF-8 text, but UTF-32 \(.*iconv -f utf-32 -t utf-8\)"),
        ("\ufeffdéjà\n".encode("utf-16-be"), r"not UTF-8 text, but UTF-16"),
        (b"\x28\xb5\x2f\xfd\xff", r"not UTF-8 text, but compressed with zstd \(.*unzstd\)"),
        (
            lzma.compress(b"x\n", lzma.FORMAT_ALONE),
            r"not UTF-8 text, but compressed with lzma \(.*unlzma\)",
        ),
        (b"\x1f\x9d\x90x", r"not UTF-8 text, but compressed with compress \(.*uncompress\)"),
        (b"PK\x03\x04\xff", r"not UTF-8 text, but a zip archive \(unpack it\)"),
        (b"7z\xbc\xaf\x27\x1c\x00\x04", r"not UTF-8 text, but a 7z archive \(unpack it\)"),
        (
            "ab\n".encode("utf-16-le"),
            r"text:1: not text: a NUL byte \(.*iconv -f utf-16 -t utf-8\)",
        ),
    ],
)
def test_what_is_no_text_is_named(tmp_path, content, message):
    path = tmp_path / "text"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(read_lines(path))


def test_gzip_without_its_suffix_and_a_byte_order_mark(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(gzip.compress("\ufeffun\r\n\ufeffdeux\n".encode()))
    assert list(read_lines(path)) == ["un", "\ufeffdeux"]
    path.write_bytes("\ufeffun\n".encode())
    assert list(read_lines(path)) == ["un"]


def test_truncated_gzip_is_an_error(tmp_path):
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(b"a line\n" * 10_000)[:-20])
    with pytest.raises(InputError, match="damaged or truncated"):
        list(read_lines(path))


def test_flipped_byte_of_a_gzip_file_is_damage_whatever_the_text_becomes(tmp_path):
    """A stored block, in which the byte of a letter is no UTF-8 any more."""
    path = tmp_path / "text.gz"
    content = gzip.compress("déjà vu\n".encode() * 3, compresslevel=0)
    path.write_bytes(content.replace(b"\xc3\xa9", b"\xe3\xa9", 1))
    with pytest.raises(InputError, match="damaged or truncated"):
        list(read_lines(path))


def test_a_suffix_that_promises_gzip(tmp_path):
    path = tmp_path / "text.gz"
    path.write_text("a\n")
    assert message(lambda: list(read_lines(str(path)))) == (
        f"{path}: named .gz, but not compressed with gzip (give it a name without .gz)"
    )
    whole = gzip.compress(b"a\n")
    path.write_bytes(whole[:5])  # ends within its head
    assert message(lambda: list(read_lines(path))).startswith(f"{path}:1: damaged or truncated")
    pipe = tmp_path / "pipe.gz"
    os.mkfifo(pipe)
    handle = os.open(pipe, os.O_RDWR)
    os.write(handle, b"a\n")
    assert message(lambda: list(read_lines(pipe))).startswith(f"{pipe}:1: damaged or truncated")
    os.close(handle)
    path.write_bytes(whole + b"more")
    assert message(lambda: list(read_lines(path))).startswith(f"{path}:2: damaged or truncated")


def test_missing_file_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"none\.txt: no such file"):
        list(read_lines(tmp_path / "none.txt"))


@pytest.mark.parametrize("named", [False, True])
def test_a_file_that_cannot_be_written_is_named(tmp_path, named):
    with (
        pytest.raises(OSError, match="No space left") as error,
        atomic_path(tmp_path / "a") as path,
    ):
        raise OSError(errno.ENOSPC, "No space left on device", *([path] if named else []))
    assert str(error.value) == f"[Errno {errno.ENOSPC}] No space left on device: '{tmp_path / 'a'}'"


@pytest.mark.parametrize(
    "error", [OSError("of a library"), OSError(errno.ENOENT, "No such file", "another")]
)
def test_an_error_that_is_not_of_the_file_stays_as_it_is(tmp_path, error):
    with pytest.raises(OSError, match=r"library|another") as caught, atomic_path(tmp_path / "a"):
        raise error
    assert caught.value is error


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (".17-0123abcd.text.gz", (17, "text.gz")),
        (".1-00000000..hidden", (1, ".hidden")),
        ("17-01234567.text", None),
        (".17.text", None),
        (".x-01234567.text", None),
        (".17-01234567.", None),
    ],
)
def test_names_of_half_written_files(tmp_path, name, expected):
    found = half_written(tmp_path / name)
    assert found == (expected and (expected[0], tmp_path / expected[1]))
    with atomic_path(tmp_path / "text") as temporary:
        assert half_written(temporary) == (os.getpid(), tmp_path / "text")
        temporary.touch()
        with atomic_path(tmp_path / "text") as other:  # a process of the same id, in a container
            assert other != temporary
            other.touch()


def test_hashes_are_of_the_whole_file(tmp_path):
    content = bytes(3_000_000)
    (tmp_path / "large").write_bytes(content)
    for method in ("sha256", "sha1", "md5"):
        wanted = hashlib.new(method, content).hexdigest()
        assert file_hash(tmp_path / "large", method) == wanted
    assert file_hash(tmp_path / "large") == hashlib.sha256(content).hexdigest()


def test_files_in_parallel_end_together(tmp_path):
    for name, lines in (("a", "1 2 3"), ("b", "4 5"), ("c", "6 7 8")):
        write_lines(tmp_path / name, lines.split())
    assert list(read_parallel(tmp_path / "a", tmp_path / "c")) == [
        ("1", "6"),
        ("2", "7"),
        ("3", "8"),
    ]
    assert message(lambda: list(read_parallel(*(tmp_path / name for name in "abc")))) == (
        f"{tmp_path}/b: ends after 2 lines, but {tmp_path}/a continues (line i of each file must "
        "belong to the same sentence pair)"
    )


def test_a_whole_file_and_what_is_wrong_with_it(tmp_path):
    path = tmp_path / "text"
    path.write_bytes("a\r\n\ufeffé".encode())
    assert read_whole(path) == "a\r\n\ufeffé"
    path.write_bytes(gzip.compress("é\n".encode()))
    assert read_whole(path) == "é\n"
    for content, wrong in (
        (b"a\n\xe9\n", ":2: not UTF-8"),
        (b"a\n\0\n", ":2: not text: a NUL byte"),
        (gzip.compress(b"ab\n")[:-1], ":2: damaged or truncated"),
        (gzip.compress(b"ab\n")[:-8] + bytes(8), ":2: damaged or truncated"),
        (gzip.compress(b"ab\n")[:10] + b"\xff" * 20, ":1: damaged or truncated"),
    ):
        path.write_bytes(content)
        assert message(lambda: read_whole(path)).startswith(f"{path}{wrong}")
    with pytest.raises(InputError, match="no such file"):
        read_whole(tmp_path / "none")


def test_content_reaches_the_disk_before_its_name_and_then_the_name(tmp_path, monkeypatch):
    """A loss of power between two of these steps leaves the old content or the new."""
    steps = []
    sync, replace = os.fsync, Path.replace

    def fsync(handle):
        steps.append(f"disk: {Path(f'/proc/self/fd/{handle}').readlink().name}")
        sync(handle)

    def rename(path, target):
        steps.append(f"{path.name} -> {target.name}")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", rename)
    write_text(tmp_path / "result", "new\n")
    temporary = steps[0].removeprefix("disk: ")
    assert half_written(tmp_path / temporary) == (os.getpid(), tmp_path / "result")
    assert steps == [f"disk: {temporary}", f"{temporary} -> result", f"disk: {tmp_path.name}"]
    write_text(tmp_path / "new/inner/part", "a\n")
    steps.clear()
    put_in_place(tmp_path / "new", tmp_path / "folder")
    of_new = ["disk: inner", "disk: part", "disk: new"]
    assert steps == [*of_new, "new -> folder", f"disk: {tmp_path.name}"]


def test_content_that_does_not_reach_the_disk_is_an_error(tmp_path, monkeypatch):
    def fsync(handle):
        raise OSError(errno.EIO, "Input/output error")

    path = tmp_path / "result"
    path.write_text("old\n")
    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(OSError, match=f"Input/output error: '{path}'"):
        write_text(path, "new\n")
    assert path.read_text() == "old\n"
    assert list(tmp_path.iterdir()) == [path]


def message(work: Callable[[], object]) -> str:
    with pytest.raises(InputError) as caught:
        work()
    return str(caught.value)


def test_errors_say_what_is_wrong_where_and_what_to_do(tmp_path: Path) -> None:
    text, packed, utf16 = (tmp_path / name for name in ("text", "text.gz", "utf16"))
    text.write_bytes(b"a\n\xe9\n")
    assert message(lambda: list(read_lines(text))) == (
        f"{text}:2: not UTF-8 (byte 0xe9) (convert the file, for example with iconv -f latin1 -t "
        "utf-8)"
    )
    utf16.write_bytes("a\n".encode("utf-16"))
    assert message(lambda: list(read_lines(utf16))) == (
        f"{utf16}: not UTF-8 text, but UTF-16 (convert it with iconv -f utf-16 -t utf-8)"
    )
    packed.write_bytes(gzip.compress(b"cut off\n")[:-9])
    assert message(lambda: list(read_lines(packed))) == (
        f"{packed}:2: damaged or truncated gzip file (make it again)"
    )
    assert message(lambda: check_file(tmp_path)) == f"{tmp_path}: a folder, not a file"
    assert message(lambda: check_file(tmp_path / "x")) == f"{tmp_path}/x: no such file"


def test_lines_keep_all_but_their_end(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b" a \t\x0b\n\n\xe2\x80\xa8X\r\nend")
    assert list(read_lines(path)) == [" a \t\x0b", "", "\u2028X", "end"]
    assert list(read_lines("/dev/null")) == []  # no file that could be gzip


def test_a_folder_that_cannot_be_synchronised_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = os.fsync

    def of_files(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError
        sync(handle)

    monkeypatch.setattr("os.fsync", of_files)
    opened = len(list(Path("/proc/self/fd").iterdir()))
    write_text(tmp_path / "text", "a\n")
    assert (tmp_path / "text").read_text() == "a\n"
    assert len(list(Path("/proc/self/fd").iterdir())) == opened
