"""Archives of all kinds, and those that somebody made to do harm."""

import bz2
import errno
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from nlmt.corpora import archives
from nlmt.corpora.archives import member_names, members, open_file, read_control
from nlmt.corpora.lines import lines_of, parallel_lines
from nlmt.corpora.text_files import TextFile, in_archive
from nlmt.errors import InputError

MakeDeb = Callable[..., Path]
COMPRESSIONS = [("gz", gzip.compress), ("xz", lzma.compress), ("bz2", bz2.compress)]


def read(path: Path, member: str = "") -> bytes:
    with open_file(TextFile(path, member)) as stream:
        return stream.read()


def pack(path: Path, files: Mapping[str, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


@pytest.mark.parametrize("compression", ["xz", "gz"])
def test_debian_packages(make_deb: MakeDeb, compression: str) -> None:
    path = make_deb(
        {"./b.html": b"two", "./a/x.html": b"1", "./c.png": b"3"}, compression=compression
    )
    pages = list(members(path, lambda name: name.endswith(".html")))
    assert pages == [("b.html", b"two"), ("a/x.html", b"1")]
    assert len(list(members(path, bool))) == 3
    assert read(path, "a/x.html") == b"1"


def test_control_fields(make_deb: MakeDeb) -> None:
    control = read_control(make_deb({}, package="libreoffice-help-de", version="4:1-2+deb12u3"))
    assert control["Package"] == "libreoffice-help-de"
    assert control["Version"] == "4:1-2+deb12u3"


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("a.tar", "w"),
        ("a.tgz", "w:gz"),
        ("a.tar.gz", "w:gz"),
        ("a.tar.xz", "w:xz"),
        ("a.TGZ", "w:gz"),
        ("a.txz", "w:xz"),
    ],
)
def test_tar(tmp_path: Path, name: str, mode: str) -> None:
    files = {"dev/one.txt": b"un\n", "dev/two.txt.gz": gzip.compress(b"deux\n")}
    path = pack(tmp_path / name, files, mode)
    assert read(path, "dev/one.txt") == b"un\n"
    assert list(lines_of(TextFile(path, "dev/two.txt.gz"))) == ["deux"]
    with pytest.raises(InputError, match=r"no dev/on.txt in this archive \(it has dev/one.txt"):
        read(path, "dev/on.txt")


def test_the_checksum_after_a_tar_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the last read of the archive ends with its last byte, nothing else compares it."""
    monkeypatch.setattr(archives, "_BUFFER", tarfile.RECORDSIZE)
    path = pack(tmp_path / "a.tgz", {"one.txt": b"un\n"}, "w:gz")
    path.write_bytes(path.read_bytes()[:-8] + bytes(8))
    for reading in (lambda: read(path, "one.txt"), lambda: list(members(path, bool))):
        with pytest.raises(InputError, match=r"a\.tgz.*: damaged or truncated: CRC check failed"):
            reading()


def test_a_zip_with_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("\u00e9.txt", b"un")  # not ASCII, so that the name is marked as UTF-8
    path.write_bytes(path.read_bytes().replace("\u00e9".encode(), b"\x80\x80"))
    with pytest.raises(InputError, match="not UTF-8") as raised:
        list(members(path, lambda name: True))
    assert raised.value.path == path


def test_zip(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x/one.txt", "un\n" * 1000)
        link = zipfile.ZipInfo("x/link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    assert read(path, "x/one.txt") == b"un\n" * 1000
    with pytest.raises(InputError, match=r"a.zip/x/link.txt: a link, device or folder"):
        read(path, "x/link.txt")
    assert [name for name, _ in members(path, bool)] == ["x/one.txt"]
    data = bytearray(path.read_bytes())
    data[45] ^= 255  # of the compressed text
    path.write_bytes(data)
    with pytest.raises(InputError, match="damaged or truncated"):
        read(path, "x/one.txt")


def test_folders(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "f/b").mkdir(parents=True)
    (tmp_path / "f/b/one.html").write_bytes(b"1")
    (tmp_path / "secret").write_bytes(b"x")
    (tmp_path / "f/link.html").symlink_to(tmp_path / "secret")
    (tmp_path / "f/link.png").symlink_to(tmp_path / "secret")
    (tmp_path / "f/c").symlink_to(tmp_path / "f/b")
    assert list(members(tmp_path / "f", lambda name: name.endswith(".html"))) == [
        ("b/one.html", b"1")
    ]
    assert caplog.messages == [
        f"{tmp_path}/f/c: a link to a folder, which is not followed",
        f"{tmp_path}/f: left out 1 links or devices, such as link.html",
    ]
    with pytest.raises(InputError, match="a folder, not a file"):
        read(tmp_path / "f")


def test_a_folder_that_cannot_be_read_is_not_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f/b").mkdir(parents=True)
    (tmp_path / "f/one.html").write_bytes(b"1")
    scandir = os.scandir

    def refused(path: str) -> object:
        if Path(path).name == "b":
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr("os.scandir", refused)  # root may read every folder
    with pytest.raises(PermissionError):
        list(member_names(tmp_path / "f"))


@pytest.mark.parametrize(("suffix", "compress"), [*COMPRESSIONS, ("txt", bytes)])
def test_compressed_lines(tmp_path: Path, suffix: str, compress: Callable[..., bytes]) -> None:
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(compress("un\n\u2028deux\r\n\ntrois".encode()))
    assert list(lines_of(TextFile(path))) == ["un", "\u2028deux", "", "trois"]


@pytest.mark.parametrize(("suffix", "compress"), COMPRESSIONS)
def test_several_compressed_streams(
    tmp_path: Path, suffix: str, compress: Callable[..., bytes]
) -> None:
    path = tmp_path / f"a.{suffix}"
    streams = [compress(text) for text in (b"un\n", b"", b"deux\n")]
    path.write_bytes(b"".join(streams) + bytes(10_000) + compress(b"trois\n") + bytes(4))
    assert read(path) == b"un\ndeux\ntrois\n"
    for rest in (b"no compressed stream", bytes(10_000) + b"!", streams[0][:7]):
        path.write_bytes(b"".join(streams) + rest)
        with pytest.raises(InputError, match=rf"a.{suffix}: damaged or truncated"):
            read(path)


@pytest.mark.parametrize(
    "name", ["../escape.html", "./usr/../../escape.html", "/etc/escape.html", "a\\b"]
)
@pytest.mark.parametrize("kind", ["deb", "tgz", "zip"])
def test_a_member_that_would_leave_the_folder(
    make_deb: MakeDeb, tmp_path: Path, name: str, kind: str
) -> None:
    files = {"good.html": b"1", name: b"evil"}
    path = tmp_path / f"x.{kind}"
    if kind == "deb":
        make_deb(files, name="x.deb")
    elif kind == "tgz":
        pack(path, files)
    else:
        with zipfile.ZipFile(path, "w") as archive:
            for member, content in files.items():
                archive.writestr(member, content)
    with pytest.raises(InputError, match="unsafe member name"):
        list(members(path, bool))
    assert {file.name for file in tmp_path.rglob("*")} == {path.name}


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE]
)
def test_links_and_devices_are_not_followed(
    tmp_path: Path, kind: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    secret = tmp_path / "secret.html"
    secret.write_text("secret")
    path = tmp_path / "a.tgz"
    with tarfile.open(path, "w:gz") as archive:
        link = tarfile.TarInfo("link.html")
        link.type, link.linkname = kind, str(secret)
        archive.addfile(link)
    assert list(members(path, bool)) == []
    assert caplog.messages == [f"{path}: left out 1 links or devices, such as link.html"]
    with pytest.raises(InputError, match=r"link.html: a link, device or folder, not a file"):
        read(path, "link.html")


def linked(path: Path, links: Sequence[tuple[str, str]]) -> Path:
    """A tar archive of a file `a/one.html` and of hard links, by name and target."""
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("./a/one.html")
        member.size = 1
        archive.addfile(member, io.BytesIO(b"1"))
        for name, target in links:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.LNKTYPE, target
            archive.addfile(member)
    return path


def test_hard_links_are_read_as_the_members_that_they_lead_to(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = linked(tmp_path / "a.tgz", [("./b/two.html", "./a/one.html"), ("b/3", "b/two.html")])
    assert list(members(path, bool)) == [("a/one.html", b"1"), ("b/two.html", b"1"), ("b/3", b"1")]
    assert list(members(path, lambda name: name.startswith("b"))) == [
        ("b/two.html", b"1"),
        ("b/3", b"1"),
    ]
    assert list(member_names(path)) == ["a/one.html", "b/two.html", "b/3"]
    assert [read(path, name) for name in ("b/two.html", "b/3")] == [b"1", b"1"]
    assert not caplog.messages


def test_a_file_that_tar_was_given_twice(tmp_path: Path) -> None:
    """The second time, it is a hard link to itself."""
    path = linked(tmp_path / "a.tgz", [("a/one.html", "a/one.html")])
    assert list(members(path, bool)) == [("a/one.html", b"1")]
    assert read(path, "a/one.html") == b"1"


def test_hard_links_that_lead_to_no_member_before_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    links = [("b", "none"), ("c", "../secret"), ("d", "e"), ("e", "d")]
    path = linked(tmp_path / "a.tgz", links)
    assert list(members(path, bool)) == [("a/one.html", b"1")]
    assert caplog.messages == [f"{path}: left out 3 links or devices, such as b, c, d"]
    for name in "bcd":
        with pytest.raises(InputError, match=rf"{name}: a link, device or folder, not a file"):
            read(path, name)


def test_sparse_members_of_a_tar_are_not_read(tmp_path: Path) -> None:
    """A few bytes would stand for a terabyte of zeros."""
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("text.txt")
        member.size = 1
        member.pax_headers = {"GNU.sparse.map": "0,1", "GNU.sparse.size": str(1 << 40)}
        archive.addfile(member, io.BytesIO(b"a"))
    with tarfile.open(path) as archive:
        assert archive.getmembers()[0].issparse()
    assert list(members(path, lambda name: name == "other")) == []
    for reading in (lambda: list(members(path, bool)), lambda: read(path, "text.txt")):
        with pytest.raises(InputError, match=r"text.txt: a sparse file \(pack it without --sparse"):
            reading()


def test_damaged_packages_are_named(make_deb: MakeDeb, tmp_path: Path) -> None:
    good = make_deb({"./a.html": bytes(range(256)) * 50}).read_bytes()
    for name, content in {
        "cut": good[:-60],
        "half": good[: len(good) // 2],
        "text": b"<html>not found</html>",
        "empty": b"",
        "flipped": good[:-200] + b"\xff" * 150 + good[-50:],
    }.items():
        path = tmp_path / f"{name}.deb"
        path.write_bytes(content)
        with pytest.raises(InputError, match=name):
            list(members(path, bool))
    with pytest.raises(InputError, match="no such file"):
        list(members(tmp_path / "none.deb", bool))


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_a_truncated_archive(tmp_path: Path, mode: str) -> None:
    lines = "".join(f"line {n * 7919 % 10007}\n" for n in range(20_000)).encode()
    suffix = {"w": "tar", "w:gz": "tgz", "w:xz": "tar.xz"}[mode]
    path = pack(tmp_path / f"a.{suffix}", {"one.txt": lines}, mode)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(InputError, match=rf"a.{suffix}\S*: damaged or truncated"):
        list(lines_of(TextFile(path, "one.txt")))


@pytest.mark.parametrize("mode", ["w", "w:xz"])
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (lambda tar: tar[:1024], "empty header"),
        (lambda tar: tar[:1300], "truncated header"),
        (lambda tar: tar[:1024] + b"X" + tar[1025:], "bad checksum"),
    ],
)
def test_a_tar_without_its_second_header_does_not_end_there(
    mode: str, fault: Callable[[bytes], bytes], said: str, tmp_path: Path
) -> None:
    """A header and the content of a member take 512 bytes each."""
    whole = pack(tmp_path / "whole.tar", {"one.txt": b"1", "two.txt": b"2"}, "w")
    assert list(member_names(whole)) == ["one.txt", "two.txt"]
    content = fault(whole.read_bytes())
    path = tmp_path / ("a.tar" if mode == "w" else "a.tar.xz")
    path.write_bytes(content if mode == "w" else lzma.compress(content))
    with pytest.raises(InputError, match=rf"damaged or truncated: {said}"):
        list(members(path, bool))


@pytest.mark.parametrize("mode", ["w", "w:gz"])
@pytest.mark.parametrize("length", [1, 40_000])  # the end is within the record, and beyond it
def test_an_archive_behind_another_is_not_left_out(mode: str, length: int, tmp_path: Path) -> None:
    path = pack(tmp_path / ("a.tar" if mode == "w" else "a.tgz"), {"1": b"1" * length}, mode)
    assert list(member_names(path)) == ["1"]
    path.write_bytes(path.read_bytes() + pack(tmp_path / "b", {"2": b"2"}, mode).read_bytes())
    for reading in (lambda: list(members(path, bool)), lambda: read(path, "1")):
        with pytest.raises(InputError, match=r"a\.t\w+: more follows .*tar -i"):
            reading()


def test_a_truncated_text(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    lines = "".join(f"line {n * 7919 % 10007}\n" for n in range(20_000)).encode()
    path.write_bytes(gzip.compress(lines)[:-100])
    with pytest.raises(InputError, match=r"a.gz: damaged or truncated"):
        list(lines_of(TextFile(path)))


@pytest.mark.parametrize(("suffix", "compress"), COMPRESSIONS)
def test_bombs(
    tmp_path: Path, suffix: str, compress: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lists of equal lines, of one megabyte in each of many streams."""
    monkeypatch.setattr(archives, "_ALLOWED", 1 << 20)
    path = tmp_path / f"bomb.{suffix}"
    path.write_bytes(compress(b"one two\n" * (1 << 17)) * 40)
    message = rf"bomb.{suffix}: decompresses to more than 250 times its size"
    with pytest.raises(InputError, match=message):
        read(path)
    tar = pack(tmp_path / "bomb.tgz", {f"x/{path.name}": path.read_bytes()})
    with pytest.raises(InputError, match=f"x/{message}"):
        read(tar, f"x/{path.name}")


def test_a_declared_size_that_the_disk_does_not_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        member = tarfile.TarInfo("one.txt")
        member.size = 1 << 60
        archive.fileobj.write(member.tobuf(tarfile.GNU_FORMAT))  # type: ignore[union-attr]
    with pytest.raises(InputError, match=r"one.txt: declares 1152921504606846976 bytes"):
        read(path, "one.txt")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"one\n" + "café\n".encode("latin-1"), r"a.txt:2: not UTF-8 \(byte 0xe9\) .*iconv"),
        (b"one\nt\0wo\n", r"a.txt:2: not text: a NUL byte .*utf-16"),
        ("one\n".encode("utf-16"), r"a.txt: not UTF-8 text, but UTF-16 \(.*iconv"),
        (b"x" * (1 << 24), r"a.txt:1: not text: a line of more than 16777216 bytes"),
    ],
)
def test_what_is_not_text(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(lines_of(TextFile(path)))


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_text_without_its_suffix(
    compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    content = compress(b"one\ntwo\n")
    (tmp_path / "text").write_bytes(content)
    assert list(lines_of(TextFile(tmp_path / "text"))) == ["one", "two"]
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        archive.add(tmp_path / "text", "inner")
    assert list(lines_of(TextFile(tmp_path / "a.tar", "inner"))) == ["one", "two"]
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("inner", content)
    assert list(lines_of(TextFile(tmp_path / "a.zip", "inner"))) == ["one", "two"]


def test_a_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffun\r\ndeux\u2028x\r\n\ufefftrois".encode())
    assert list(lines_of(TextFile(path))) == ["un", "deux\u2028x", "\ufefftrois"]


def test_line_counts_that_do_not_match(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n2\n3\n")
    (tmp_path / "b").write_text("1\n2\n")
    with pytest.raises(InputError, match=r"b: ends after 2 lines, but \S*a continues"):
        list(parallel_lines(TextFile(tmp_path / "a"), TextFile(tmp_path / "b")))


def test_archives_are_written_like_folders() -> None:
    for path, expected in {
        "a/b.fr": ("a/b.fr", ""),
        "raw/dev.tgz/dev/x.fr": ("raw/dev.tgz", "dev/x.fr"),
        "raw/a.tar.xz/b.tgz": ("raw/a.tar.xz", "b.tgz"),
        "help.deb": ("help.deb", ""),
        "x.gz": ("x.gz", ""),
    }.items():
        assert in_archive(Path(path)) == TextFile(Path(expected[0]), expected[1])


@pytest.mark.parametrize("name", ["a.txt", "a.tar.zst"])
def test_what_is_no_archive(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("x")
    with pytest.raises(InputError, match=rf"{name}: not an archive that can .*unpack"):
        list(members(tmp_path / name, bool))


def test_a_package_with_zstd_says_how_to_unpack_it(make_deb: MakeDeb, tmp_path: Path) -> None:
    path = tmp_path / "a.deb"
    path.write_bytes(make_deb({}).read_bytes().replace(b"data.tar.xz ", b"data.tar.zst"))
    with pytest.raises(InputError, match=r"data.tar.zst: .* \(unpack it with dpkg-deb -x"):
        list(members(path, bool))


def test_a_member_without_a_name(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("Q", "x")
    path.write_bytes(path.read_bytes().replace(b"Q", b"\0"))  # names end at a zero byte
    with pytest.raises(InputError, match="unsafe member name ''"):
        list(members(path, bool))


def test_encrypted_members(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("one.txt", "x")
        archive.writestr("two.txt", "y")
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    for reading in (lambda: list(members(path, bool)), lambda: read(path, "one.txt")):
        with pytest.raises(InputError, match=r"one.txt: encrypted \(unpack it"):
            reading()
    assert read(path, "two.txt") == b"y"
    assert list(members(path, lambda name: name == "two.txt")) == [("two.txt", b"y")]


@pytest.mark.parametrize("more", [0, 1])
def test_a_member_of_a_zip_declares_at_most_64_mb_and_250_times_its_size(
    tmp_path: Path, more: int
) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", bytes(10))
    data = bytearray(path.read_bytes())
    size = data.index(b"PK\x01\x02") + 24  # where the directory has it
    data[size : size + 4] = ((64 << 20) + 2500 + more).to_bytes(4, "little")
    path.write_bytes(data)
    if more:
        with pytest.raises(InputError, match=r"a.zip/a.txt: decompresses to more than 250 times"):
            list(member_names(path))
    else:
        assert list(member_names(path)) == ["a.txt"]


@pytest.mark.parametrize(("size", "count"), [(100, 0), (600, 2)])
def test_a_stream_is_a_bomb_from_the_first_byte_over_the_limit(
    size: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "_ALLOWED", 100)
    source = SimpleNamespace(count=count)
    for more in (0, 1):
        stream = archives._Bounded(io.BytesIO(bytes(size + more)), source, TextFile(Path("a")))
        if more:
            with pytest.raises(InputError, match="a: decompresses to more"):
                stream.readall()
        else:
            assert stream.readall() == bytes(size)


def test_a_stream_that_ends_before_the_file() -> None:
    raw = io.BytesIO(b"abcdef")
    raw.read(1)
    stream = archives._Counted(raw, 3)
    assert [stream.read(2), stream.read(2), stream.read(2)] == [b"bc", b"d", b""]
    assert (stream.count, raw.tell()) == (3, 4)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError("bad  data\n"), "a/b: damaged or truncated: bad data (remove the file and"),
        (OSError(errno.EINVAL, "Invalid argument"), "a/b: damaged or truncated: [Errno 22]"),
        (EOFError(), "a/b: damaged or truncated: EOFError (remove"),
        (OSError(errno.EIO, "Input/output error"), None),
    ],
)
def test_damage_is_told_from_a_disk_that_fails(error: Exception, said: str | None) -> None:
    file = TextFile(Path("a"), "b")
    named = archives._damage_named(file)
    with pytest.raises(type(error) if said is None else InputError) as caught, named:
        raise error
    assert said is None or str(caught.value).startswith(said)


def test_a_size_that_the_disk_just_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=10))
    archives._check_size(10, TextFile(Path("a")))
    with pytest.raises(InputError, match=r"^a: declares 11 bytes, and the disk has 10 free \(free"):
        archives._check_size(11, TextFile(Path("a")))


def test_members_that_are_near_or_first_are_named(tmp_path: Path) -> None:
    path = pack(tmp_path / "a.tar", dict.fromkeys(["dev/1", "dev/2", "x", "y", "dev/3"], b""), "w")
    for member, near in (("dev/4", "dev/3, dev/2, dev/1"), ("qqq", "dev/1, dev/2, x")):
        with pytest.raises(InputError) as caught:
            read(path, member)
        assert str(caught.value) == f"{path}: no {member} in this archive (it has {near} ...)"


def test_regular_files_of_a_zip_by_any_program(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("folder/", "")
        others = {"c": stat.S_IFIFO, "d": stat.S_IFSOCK, "e": stat.S_IFDIR}
        for name, mode in (others | {"a": 0, "b": stat.S_IFREG}).items():
            member = zipfile.ZipInfo(name)
            member.external_attr = (mode | 0o600) << 16
            archive.writestr(member, name)
    assert list(members(path, bool)) == [("a", b"a"), ("b", b"b")]
    assert list(member_names(path)) == ["a", "b"]


def test_folders_of_a_tar_and_folders_on_the_disk_are_no_members(tmp_path: Path) -> None:
    (tmp_path / "f/folder").mkdir(parents=True)
    (tmp_path / "f/folder/a").write_bytes(b"1")
    with tarfile.open(tmp_path / "f.tar", "w") as archive:
        archive.add(tmp_path / "f/folder", "folder")
    for path in (tmp_path / "f.tar", tmp_path / "f"):
        assert list(members(path, bool)) == [("folder/a", b"1")]
        assert list(member_names(path)) == ["folder/a"]
        with pytest.raises(InputError, match="no folder in this archive"):
            read(path, "folder")
    with pytest.raises(InputError, match="none: no such file"):
        read(tmp_path / "none")


def test_a_member_that_comes_twice(tmp_path: Path) -> None:
    path = pack(tmp_path / "a.tgz", {"one.html": b"1", "./one.html": b"2", "x": b"", "./x": b""})
    with pytest.raises(InputError, match=r"a.tgz/one.html: comes twice"):
        list(members(path, lambda name: name.endswith(".html")))
    assert list(members(path, lambda name: name == "other")) == []
    with pytest.raises(InputError, match=r"a.tgz/x: comes twice"):
        read(path, "x")


def test_a_member_whose_name_is_not_utf8(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    folder.mkdir()
    (folder / os.fsdecode(b"caf\xe9.html")).write_bytes(b"1")
    (folder / "one.html").write_bytes(b"2")
    with pytest.raises(InputError, match=r"f: a member name is not UTF-8: 'caf\\udce9.html'"):
        list(members(folder, bool))
    assert list(members(folder, lambda name: name == "one.html")) == [("one.html", b"2")]


@pytest.mark.parametrize("kind", ["zip", "tgz", "folder"])
def test_a_member_too_long_to_be_read_as_a_whole(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"a.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("one.html", "page")
    elif kind == "tgz":
        pack(path, {"one.html": b"page"})
    else:
        path.mkdir()
        (path / "one.html").write_bytes(b"page")
    monkeypatch.setattr(archives, "_LONGEST", 4)
    assert list(members(path, bool)) == [("one.html", b"page")]
    monkeypatch.setattr(archives, "_LONGEST", 3)
    with pytest.raises(InputError, match=r"one.html: more than 0 MB, too much for a page"):
        list(members(path, bool))
    assert list(members(path, lambda name: name == "other")) == []


def test_pipes_and_links_to_nothing_are_refused(tmp_path: Path) -> None:
    """A second reading of a pipe would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe: a pipe or device, not a file"):
        list(lines_of(TextFile(tmp_path / "pipe")))
    (tmp_path / "link").symlink_to("gone")
    with pytest.raises(InputError, match="link: a link to gone, which is not there"):
        list(lines_of(TextFile(tmp_path / "link")))
