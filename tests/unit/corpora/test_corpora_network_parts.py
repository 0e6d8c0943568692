"""Parts of a download, without a server: what an answer, a part file and a lock file mean."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import requests

from nlmt.corpora.network import RemoteFile, client, files
from nlmt.corpora.network.client import MissingError, UnavailableError, Wanted, _FailedAttemptError
from nlmt.corpora.network.debian_servers import _in_pool
from nlmt.corpora.network.locks import Known, LockFile, alone_at, place_at
from nlmt.corpora.network.settings import DownloadSettings
from nlmt.errors import InputError
from nlmt.io import locks
from nlmt.steps import open_steps

ADDRESS = "http://a.org/x"


def answer(status: int = 200, **headers: str) -> requests.Response:
    response = requests.Response()
    response.status_code, response.reason = status, "Reason"
    response.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    return response


def size_in(response: requests.Response, part: Path, have: int = 0, **wanted: Any) -> int | None:
    return client._check_answer(
        response, ADDRESS, client._State(part), have, Wanted("x", verified=True, **wanted)
    )


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
@pytest.mark.parametrize(("after", "pause"), [("7", 7), ("Wed, 21 Oct", None), ("", None)])
def test_a_server_that_may_have_the_file_later(
    status: int, after: str, pause: float | None, tmp_path: Path
) -> None:
    with pytest.raises(_FailedAttemptError, match=f"answers {status} Reason") as caught:
        size_in(answer(status, Retry_After=after), tmp_path / "part")
    assert caught.value.pause == pause


@pytest.mark.parametrize(("status", "missing"), [(404, True), (410, True), (403, False)])
def test_a_server_that_has_no_such_file(status: int, missing: bool, tmp_path: Path) -> None:
    with pytest.raises(UnavailableError) as caught:
        size_in(answer(status), tmp_path / "part")
    assert isinstance(caught.value, MissingError) == missing


@pytest.mark.parametrize("kind", ["text/html", "TEXT/HTML ; charset=x", "application/xhtml+xml"])
def test_a_page_is_taken_only_where_it_is_wanted(kind: str, tmp_path: Path) -> None:
    response = answer(Content_Type=kind, Content_Length="5")
    assert size_in(response, tmp_path / "part", html=True) == 5
    with pytest.raises(UnavailableError, match="a web page"):
        size_in(response, tmp_path / "part")


@pytest.mark.parametrize(
    ("content_range", "size", "expected"),
    [("bytes 3-8/9", None, 9), ("bytes 3-8/*", None, None), ("bytes 3-8/*", 9, 9)],
)
def test_the_size_that_a_part_of_a_file_tells(
    content_range: str, size: int | None, expected: int | None, tmp_path: Path
) -> None:
    response = answer(206, Content_Range=content_range, Content_Length="6")
    assert size_in(response, tmp_path / "part", 3, size=size) == expected
    assert size_in(answer(), tmp_path / "part", size=size) == size


@pytest.mark.parametrize("content_range", ["bytes 4-8/9", "bytes 3-8/9 or so", ""])
def test_a_part_that_begins_elsewhere_is_refused(content_range: str, tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.write_bytes(b"abc")
    with pytest.raises(_FailedAttemptError, match="another range"):
        size_in(answer(206, Content_Range=content_range), part, 3)
    assert not part.exists()


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"ETag": '"1"', "Last_Modified": "Mon"}, '"1"'),
        ({"ETag": 'W/"1"', "Last_Modified": "Mon"}, "Mon"),
        ({}, ""),
    ],
)
def test_what_changes_with_the_file(headers: dict[str, str], expected: str) -> None:
    assert client._validator(answer(**headers)) == expected


@pytest.mark.parametrize(
    ("verified", "validator", "address", "status", "length", "whole"),
    [
        (True, "", "", 416, 3, True),
        (False, '"1"', ADDRESS, 416, 3, True),
        (False, "", ADDRESS, 416, 3, False),
        (False, '"1"', "http://b.org/x", 416, 3, False),
        (False, '"1"', "http://0.org/x", 416, 3, False),
        (True, "", "", 200, 3, False),
        (True, "", "", 416, 2, False),
    ],
)
def test_a_part_that_the_server_calls_whole(
    verified: bool,
    validator: str,
    address: str,
    status: int,
    length: int,
    whole: bool,
    tmp_path: Path,
) -> None:
    (tmp_path / "part").write_bytes(b"abc")
    state = client._State(tmp_path / "part", address, validator)
    response = answer(status, Content_Range=f"bytes */{length}")
    assert client._is_whole(response, ADDRESS, state, Wanted("x", verified=verified)) == whole


def test_a_download_leaves_64_mb_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = client.shutil.disk_usage(tmp_path)._replace(free=(64 << 20) + 6)
    monkeypatch.setattr("nlmt.corpora.network.client.shutil.disk_usage", lambda _: usage)
    client._check_space(tmp_path / "part", Wanted("x"), 9, 3)
    client._check_space(tmp_path / "part", Wanted("x"), None, 3)
    with pytest.raises(InputError, match=r"x needs 7 bytes, and 67.1 MB are free"):
        client._check_space(tmp_path / "part", Wanted("x"), 10, 3)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (requests.ReadTimeout("x"), "the server does not answer"),
        (requests.ConnectTimeout("x"), "the server does not answer"),
        (
            requests.ConnectionError("<x at 0>: [Errno 111] Connection refused')"),
            "no connection (Connection refused)",
        ),
        (requests.ConnectionError("RemoteDisconnected('x')"), "no connection (RemoteDisconnected)"),
        (requests.ConnectionError("x"), "no connection"),
        (ValueError("two\n lines"), "two lines"),
        (ValueError(), "ValueError"),
    ],
)
def test_errors_of_a_connection_in_words(error: Exception, expected: str) -> None:
    assert client._one_line(error) == expected


@pytest.mark.parametrize("facts", [None, "{", "[]", "{}", '{"address": "a", "validator": "v"}'])
def test_facts_that_are_damaged_are_none(facts: str | None, tmp_path: Path) -> None:
    state = client._State(tmp_path / "part", "a", "v", "s")
    if facts is not None:
        (tmp_path / "part.json").write_text(facts)
    state.read()
    assert (state.address, state.validator, state.sha256) == ("", "", "")


@pytest.mark.parametrize(
    ("verified", "validator", "place", "asked"),
    [
        (True, '"1"', ADDRESS, ("bytes=3-", '"1"')),
        (True, "", ADDRESS, ("bytes=3-", None)),
        (True, '"1"', "http://b.org/x", ("bytes=3-", None)),
        (False, '"1"', ADDRESS, ("bytes=3-", '"1"')),
        (False, "", ADDRESS, (None, None)),
    ],
)
def test_the_rest_of_a_part_is_asked_for(
    verified: bool,
    validator: str,
    place: str,
    asked: tuple[str | None, str | None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened = mock.Mock(side_effect=KeyError)
    monkeypatch.setattr(client, "_opened", opened)
    state = client._State(tmp_path / "part", place, validator)
    state.part.write_bytes(bytes(3))
    with pytest.raises(KeyError):
        client._attempt(ADDRESS, state, Wanted("x", verified=verified), DownloadSettings())
    headers = opened.call_args.args[1]
    assert (headers.get("Range"), headers.get("If-Range")) == asked
    assert headers["User-Agent"].startswith("nlmt/")


class Blocks:
    """An answer that comes in blocks, each at a time of its own."""

    def __init__(self, blocks: dict[float, bytes]) -> None:
        self.blocks, self.now = list(blocks.items()), 0.0
        self.raw, self.url = self, ADDRESS

    def read1(self, most: int, decode_content: bool) -> bytes:
        assert most > 0
        assert not decode_content
        if not self.blocks:
            return b""
        self.now, block = self.blocks.pop(0)
        return block


def write(
    monkeypatch: pytest.MonkeyPatch,
    part: Path,
    blocks: dict[float, bytes],
    have: int = 0,
    total: int | None = None,
    **wanted: Any,
) -> None:
    response = Blocks(blocks)
    monkeypatch.setattr(client, "time", mock.Mock(monotonic=lambda: response.now))
    settings = DownloadSettings(slow_after=10, slowest=100)
    client._write(response, part, have, total, Wanted("x", **wanted), settings)  # type: ignore[arg-type]


def test_what_comes_follows_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = tmp_path / "part"
    write(monkeypatch, part, {1: b"ab", 2: b"cdef"}, total=6)
    assert part.read_bytes() == b"abcdef"
    write(monkeypatch, part, {1: b"<html>"}, 3)
    assert part.read_bytes() == b"abc<html>"
    write(monkeypatch, part, {1: b"D"}, 3)
    assert part.read_bytes() == b"abcD"
    with pytest.raises(UnavailableError, match="more than the 8 bytes expected"):
        write(monkeypatch, part, {1: b"DEF", 2: b"GHI"}, 3, 8)
    assert part.read_bytes() == b""


def test_nothing_is_written_into_the_part_of_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "check_held", mock.Mock(side_effect=InputError("taken over")))
    (tmp_path / "part").write_bytes(b"theirs")
    with pytest.raises(InputError, match="taken over"):
        write(monkeypatch, tmp_path / "part", {1: b"ours"})
    assert (tmp_path / "part").read_bytes() == b"theirs"


def test_progress_of_a_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int, int]] = []

    def blocks(_: object) -> Iterator[bytes]:
        for _ in range(3):
            one = open_steps()[-1]
            seen.append((one.name, one.done, one.total))
            yield bytes(1000)

    monkeypatch.setattr(client, "_blocks", blocks)
    write(monkeypatch, tmp_path / "part", {}, 2000, 5000)
    assert seen == [("download x", done, 5) for done in (2, 3, 4)]


@pytest.mark.parametrize("page", [b" <!DOCTYPE  html>", b"<HTML>", b"<?xml a?>\n<!doctype html"])
def test_the_beginning_of_a_page(
    page: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(monkeypatch, tmp_path / "part", {1: page}, html=True)
    assert (tmp_path / "part").read_bytes() == page
    with pytest.raises(UnavailableError, match="a web page in place of the file"):
        write(monkeypatch, tmp_path / "part", {1: page})
    write(monkeypatch, tmp_path / "part", {1: b"x", 2: page})


def test_a_rate_is_too_low_over_ten_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1,000 bytes in the first ten seconds suffice; then there are 999, and again a few."""
    part = tmp_path / "part"
    part.write_bytes(bytes(5000))
    blocks = {9.9: bytes(500), 10: bytes(500), 19: bytes(999)}
    write(monkeypatch, part, blocks, 5000)
    with pytest.raises(_FailedAttemptError, match=r"too slow, 99 bytes/s"):
        write(monkeypatch, part, blocks | {20.1: b"a", 21: b"b"}, 5000)
    assert part.stat().st_size == 7000


@pytest.mark.parametrize("key", ["retries", "first_pause", "longest_pause", "slowest"])
def test_settings_that_may_be_none_at_all(key: str) -> None:
    DownloadSettings.model_validate({key: 0})
    with pytest.raises(ValueError, match=key):
        DownloadSettings.model_validate({key: -0.5})


@pytest.mark.parametrize(
    ("old", "new", "refused"),
    [
        ("http://a.org/x", "http://b.org/x", "another host, b.org"),
        ("http://b.org/x", "http://a.org/x", "another host, a.org"),
        ("http://a.org/x", "http://c.org/x", ""),
        ("http://a.org/x", "http://a.org:8080/x", ""),
        ("http://a.org/x", "https://a.org/x", ""),
        ("https://a.org/x", "https://a.org/y", ""),
        ("https://a.org/x", "http://a.org/x", "redirects from https to http"),
        ("http://a.org/x", "file:///etc/passwd", "redirects to 'file:///etc/passwd'"),
    ],
)
def test_redirects_that_are_followed(old: str, new: str, refused: str) -> None:
    """A file with a published hash may come from anywhere."""
    settings = DownloadSettings(hosts=("c.org",))
    for wanted, verified in ((Wanted("x"), False), (Wanted("x", verified=True), True)):
        if refused and not (verified and new.startswith("http")):
            with pytest.raises(UnavailableError, match=refused):
                client._check_redirect(ADDRESS, old, new, wanted, settings)
        else:
            client._check_redirect(ADDRESS, old, new, wanted, settings)


def test_facts_of_a_file_and_its_first_download(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    sha256, lock = files.file_hash(tmp_path / "x"), LockFile(tmp_path / "lock")
    known = Known(3, sha256)
    for hashes, first, whole, verified, added in (
        ({"sha256": sha256}, None, True, "published", False),
        ({}, known, False, "locked", False),
        ({"md5": "0"}, None, False, "published", True),
        ({}, None, True, "first download", True),
        ({}, None, False, "no", False),
    ):
        (tmp_path / "lock").unlink(missing_ok=True)
        facts = files._facts(tmp_path / "x", RemoteFile(ADDRESS, None, hashes), first, lock, whole)
        assert facts == {"address": ADDRESS, "bytes": 3, "sha256": sha256, "verified": verified}
        assert lock.known(ADDRESS) == (known if added else None)


@pytest.mark.parametrize("said", ["waited", "at once", "nothing known", "another file"])
def test_another_process_has_downloaded_the_file(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def alone(destination: Path) -> Iterator[bool]:
        yield said != "at once"

    monkeypatch.setattr(files, "alone_at", alone)
    monkeypatch.setattr(files, "_get_file", lambda *_: {"address": "again"})
    (tmp_path / "x").write_bytes(b"abd" if said == "another file" else b"abc")
    abc = hashlib.sha256(b"abc").hexdigest()
    hashes = {} if said == "nothing known" else {"sha256": abc}
    settings = DownloadSettings().model_copy(update={"lock": str(tmp_path / "lock")})
    facts = files.get_file(RemoteFile(ADDRESS, None, hashes), tmp_path / "x", settings)
    assert facts["address"] == (ADDRESS if said == "waited" else "again")


def test_failures_count_from_the_last_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("nlmt.corpora.network.client.time.sleep", pauses.append)
    state = client._State(tmp_path / "part")
    lengths = iter([0, 0, 5, 5, 5, 5])

    def attempt(*_: object) -> None:
        state.part.write_bytes(bytes(next(lengths)))
        raise _FailedAttemptError("broke")

    monkeypatch.setattr(client, "_attempt", attempt)
    settings = DownloadSettings(retries=2, first_pause=1, longest_pause=60)
    with pytest.raises(UnavailableError, match="broke, after 3 attempts"):
        client._get_part(ADDRESS, state, Wanted("x"), settings)
    assert pauses == [1, 2, 1, 2]


@pytest.mark.parametrize(
    "line",
    [
        "a\t1",
        f"a\tx\t{'0' * 64}",
        f"a\t²\t{'0' * 64}",
        f"a\t{'9' * 5000}\t{'0' * 64}",
        f"a\t1\t{'0' * 63}",
        "address\tbytes\tsha256",
    ],
)
def test_a_damaged_lock_file_names_the_line(line: str, tmp_path: Path) -> None:
    lock = LockFile(tmp_path / "lock")
    assert lock.known("a") is None
    lock.add("b", Known(1, "0" * 64))
    lock.add("a", Known(2, "1" * 64))
    lines = (tmp_path / "lock").read_text().splitlines()
    assert lines[1:] == [f"a\t2\t{'1' * 64}", f"b\t1\t{'0' * 64}"]
    (tmp_path / "lock").write_text("\n".join([*lines, line]))
    with pytest.raises(InputError, match=r"lock:4: an address, .* \(correct or remove the line\)"):
        lock.known("a")
    (tmp_path / "lock").write_text(f"{lines[1]}\n")  # without a heading
    assert lock.known("a") == Known(2, "1" * 64)


def test_a_lock_file_with_two_files_of_an_address(tmp_path: Path) -> None:
    lines = [f"a\t1\t{digit * 64}\n" for digit in "001"]
    (tmp_path / "lock").write_text("".join(lines[:2]))
    assert LockFile(tmp_path / "lock").known("a") == Known(1, "0" * 64)
    (tmp_path / "lock").write_text("".join(lines))
    with pytest.raises(InputError, match=r"lock:3: a has another size or SHA-256 before"):
        LockFile(tmp_path / "lock").known("a")


def test_locks_of_hosts_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with place_at("::1/a.b-C", 2, tmp_path / "servers"), alone_at(tmp_path / "file") as waited:
        names = sorted(path.name for path in tmp_path.rglob(".*"))
        assert names == [".__1_a.b-C.0", ".file.lock"]
        assert waited is False
    (tmp_path / ".file.lock").write_text("being written")
    monkeypatch.setattr(locks.time, "sleep", lambda _: (tmp_path / ".file.lock").unlink())
    with alone_at(tmp_path / "file") as waited:
        assert waited is True


def test_places_of_a_file_in_their_order(tmp_path: Path) -> None:
    settings = DownloadSettings(
        local=(str(tmp_path / "1"), str(tmp_path / "2")),
        mirrors={
            "http://a.org/": ("http://m/", "http://n/", "http://a.org/"),
            "http://b": ("http://c",),
        },
    )
    assert files._addresses(ADDRESS, settings) == ["http://m/x", "http://n/x", ADDRESS]
    wanted = [tmp_path / "1" / "x", tmp_path / "2" / "wmt" / "x", tmp_path / "2" / "x"]
    for path in wanted:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "1" / "wmt" / "x").mkdir(parents=True)
    assert files._local_copies(Path("data/raw/wmt/x"), settings) == wanted


def test_a_file_is_held_to_its_size_and_every_hash(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    sha256 = files.file_hash(tmp_path / "x")
    hashes = {method: files.file_hash(tmp_path / "x", method) for method in ("sha1", "md5")}

    def fault(size: int | None = None, known: Known | None = None, **other: str) -> str:
        remote = RemoteFile(ADDRESS, size, hashes | other)
        return files._fault(tmp_path / "x", remote, known)

    assert fault(3, Known(3, sha256)) == ""
    assert fault(4) == "has 3 bytes, 4 are expected"
    assert fault(None, Known(2, sha256)) == "has 3 bytes, 2 are expected"
    assert fault(3, Known(2, sha256)) == ""  # what is published goes first
    assert fault(md5="0") == f"md5 is {hashes['md5']}, 0 is published"
    assert fault(None, Known(3, "0")) == f"sha256 is {sha256}, that of the first download was 0"


@pytest.mark.parametrize(
    ("source", "prefix"), [("libreoffice", "libr/libreoffice"), ("gimp-help", "g/gimp-help")]
)
def test_where_a_mirror_keeps_a_package(source: str, prefix: str) -> None:
    expected = f"http://m/pool/main/{prefix}/name_1.2%2Bb_all.deb"
    assert _in_pool("http://m/", {"name": source}, "name", "4:1.2+b") == expected


def test_sizes_in_words() -> None:
    assert [client.in_units(size) for size in (999, 1000, 999_999, 10**6, 10**9)] == [
        *("999 bytes", "1.0 kB", "1000.0 kB", "1.0 MB", "1.00 GB"),
    ]
