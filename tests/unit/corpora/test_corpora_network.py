"""Downloads: each thing that goes wrong has one clear message and leaves nothing half done."""

import hashlib
import json
import multiprocessing
import random
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from web_site import Site, cut, running, serve, stall, status, trickle

from nlmt.corpora import DownloadSettings, download, downloads, read_corpora
from nlmt.corpora.network import RemoteFile, get_file
from nlmt.corpora.network.locks import Known, LockFile, place_at
from nlmt.errors import InputError
from nlmt.io import locks
from nlmt.io.locks import Owner

BODY = random.Random(1).randbytes(300_000)  # noqa: S311
SHA256 = hashlib.sha256(BODY).hexdigest()
PATH = "/wmt/text.tgz"
PATIENCE = 300  # seconds


@pytest.fixture
def site() -> Iterator[Site]:
    with running() as site:
        site.files[PATH] = BODY
        yield site


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("data/raw/wmt/text.tgz")


def settings(**keys: Any) -> DownloadSettings:
    return DownloadSettings(first_pause=0.01, longest_pause=0.05, retries=2, timeout=600, **keys)


def get(site: Site, place: Path, remote: dict[str, Any] | None = None, **keys: Any) -> Any:
    known = {"size": len(BODY), "hashes": {"sha256": SHA256}} if remote is None else remote
    return get_file(RemoteFile(site.address + PATH, **known), place, settings(**keys))


def left(place: Path) -> set[str]:
    return {path.name for path in place.parent.iterdir()}


def fault(site: Site, place: Path, remote: dict[str, Any] | None = None, **keys: Any) -> str:
    with pytest.raises(InputError) as caught:
        get(site, place, remote, **keys)
    assert not place.exists()
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("cannot download text.tgz: ")
    return message


def test_a_file_is_got_checked_and_put_to_its_place(site: Site, place: Path) -> None:
    facts = get(site, place)
    assert facts == {
        "address": site.address + PATH,
        "bytes": len(BODY),
        "sha256": SHA256,
        "verified": "published",
    }
    assert place.read_bytes() == BODY
    assert left(place) == {"text.tgz"}
    assert site.requests[0][1]["Accept-Encoding"] == "identity"
    assert not Path("config/downloads.lock").exists()


@pytest.mark.parametrize("etags", [True, False])
@pytest.mark.parametrize("remote", [None, {}])
def test_it_goes_on_where_the_server_stopped(
    site: Site, place: Path, remote: dict[str, Any] | None, etags: bool
) -> None:
    site.etags = etags
    site.answers[PATH] = [cut(100_000), cut(50_000)]
    get(site, place, remote)
    assert place.read_bytes() == BODY
    goes_on = remote is None or etags  # else the server might have another version by now
    rest = ["bytes=100000-", "bytes=150000-"] if goes_on else [None, None]
    assert site.ranges_asked() == [None, *rest]
    assert left(place) == {"text.tgz"}


def test_another_process_goes_on_where_the_first_was_stopped(site: Site, place: Path) -> None:
    site.answers[PATH] = [cut(100_000), *[status(503)] * 3]
    assert "answers 503" in fault(site, place)
    assert left(place) == {".text.tgz.part", ".text.tgz.part.json"}
    get(site, place)
    assert site.ranges_asked()[-1] == "bytes=100000-"
    assert place.read_bytes() == BODY


def test_another_process_begins_anew_what_may_have_changed(site: Site, place: Path) -> None:
    site.etags = False
    site.answers[PATH] = [cut(100_000), *[status(503)] * 3]
    assert "answers 503" in fault(site, place, {})
    site.files[PATH] = BODY[::-1]
    get(site, place, {})
    assert place.read_bytes() == BODY[::-1]


def test_a_server_without_ranges_begins_from_the_start(site: Site, place: Path) -> None:
    site.ranges = False
    site.answers[PATH] = [cut(100_000)]
    get(site, place)
    assert place.read_bytes() == BODY
    assert site.ranges_asked() == [None, "bytes=100000-"]


@pytest.mark.parametrize("etags", [True, False])
def test_a_file_that_changed_meanwhile_is_got_again(site: Site, place: Path, etags: bool) -> None:
    site.etags = etags

    def change(handler: Any, body: bytes) -> None:
        cut(100_000)(handler, body)
        site.files[PATH] = BODY[::-1]

    site.answers[PATH] = [change]
    get(site, place, {})
    assert place.read_bytes() == BODY[::-1]


def test_a_full_disk_does_not_make_an_old_part_a_new_one(
    site: Site, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(handler: Any, body: bytes) -> None:
        cut(100_000)(handler, body)
        site.files[PATH] = BODY[::-1]

    full = mock.Mock(side_effect=[None, InputError("full"), None])
    monkeypatch.setattr("nlmt.corpora.network.client._check_space", full)
    site.answers[PATH] = [change]
    with pytest.raises(InputError, match="full"):
        get(site, place, {})
    get(site, place, {})
    assert place.read_bytes() == BODY[::-1]


def test_a_part_that_proves_wrong_is_got_again(site: Site, place: Path) -> None:
    place.parent.mkdir(parents=True)
    place.with_name(".text.tgz.part").write_bytes(b"x" * 1000)
    get(site, place)
    assert place.read_bytes() == BODY
    assert site.ranges_asked() == ["bytes=1000-", None]


def test_a_part_of_unknown_origin_is_not_gone_on_with(site: Site, place: Path) -> None:
    place.parent.mkdir(parents=True)
    place.with_name(".text.tgz.part").write_bytes(b"x" * 1000)
    get(site, place, {})
    assert place.read_bytes() == BODY
    assert site.ranges_asked() == [None]


@pytest.mark.parametrize(("remote", "requests"), [(None, 0), ({"hashes": {"sha256": SHA256}}, 1)])
def test_a_whole_part_is_all_there_is(
    site: Site, place: Path, remote: dict[str, Any] | None, requests: int
) -> None:
    """As where the process ended between the last byte and the new name."""
    place.parent.mkdir(parents=True)
    place.with_name(".text.tgz.part").write_bytes(BODY)
    get(site, place, remote)
    assert place.read_bytes() == BODY
    assert len(site.requests) == requests


@pytest.mark.parametrize(
    ("remote", "ranges"),
    [(None, [None]), ({"hashes": {"sha256": SHA256}}, ["bytes=300004-", None])],
)
def test_a_part_that_is_too_long_begins_from_the_start(
    site: Site, place: Path, remote: dict[str, Any] | None, ranges: list[str | None]
) -> None:
    place.parent.mkdir(parents=True)
    place.with_name(".text.tgz.part").write_bytes(BODY + b"more")
    get(site, place, remote)
    assert place.read_bytes() == BODY
    assert site.ranges_asked() == ranges


def test_another_range_than_was_asked_for(site: Site, place: Path) -> None:
    def wrong(handler: Any, body: bytes) -> None:
        handler.send_response(206)
        handler.send_header("Content-Range", f"bytes 0-{len(body) - 1}/{len(body)}")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    site.answers[PATH] = [cut(1000), wrong]
    get(site, place)
    assert place.read_bytes() == BODY


def test_pauses_grow_and_a_server_may_ask_for_longer_ones(
    site: Site, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("nlmt.corpora.network.client.time.sleep", pauses.append)
    site.answers[PATH] = [status(503), status(429, Retry_After="7")]
    site.answers[PATH] += [status(502, Retry_After="1"), status(500)]
    remote = RemoteFile(site.address + PATH, len(BODY), {"sha256": SHA256})
    get_file(remote, place, DownloadSettings(first_pause=1, longest_pause=5, timeout=600))
    assert pauses == [1, 5, 4, 5]


def test_what_no_further_attempt_would_change(site: Site, place: Path) -> None:
    site.answers[PATH] = [status(403)]
    message = fault(site, place)
    assert f"{site.address}{PATH}: answers 403 Forbidden" in message
    assert "put the file into data/local" in message
    assert len(site.requests) == 1
    assert left(place) == set()


def test_a_wrong_hash(site: Site, place: Path) -> None:
    site.files[PATH] = BODY[:-1] + b"x"
    assert f"{SHA256} is published" in fault(site, place)
    assert left(place) == set()
    assert len(site.requests) == 1


def test_a_wrong_size_is_seen_before_the_download(site: Site, place: Path) -> None:
    assert "has 300000 bytes, 299999 are expected" in fault(site, place, {"size": 299_999})
    assert left(place) == set()


def unsized(handler: Any, body: bytes) -> None:
    """Answer as HTTP/1.0 may: the end of the connection is the end of the file."""
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.wfile.write(body)
    handler.close_connection = True


def chunked(body: bytes, whole: bool) -> Any:
    """An answer that says where it ends, in place of its size at its beginning."""

    def answer(handler: Any, _: bytes) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b"%x\r\n%b\r\n" % (len(body), body) + b"0\r\n\r\n" * whole)
        handler.close_connection = True

    return answer


def test_more_bytes_than_were_promised(site: Site, place: Path) -> None:
    site.answers[PATH] = [unsized]
    assert "more than the 1000 bytes expected" in fault(site, place, {"size": 1000})


def test_a_web_page_in_place_of_the_file(site: Site, place: Path) -> None:
    site.files[PATH] = b"\n<!DOCTYPE html><html><body>Please log in</body></html>"
    assert "a web page in place of the file" in fault(site, place, {})
    assert left(place) == set()


def test_a_web_page_that_is_asked_for(site: Site, place: Path) -> None:
    page = b"<!DOCTYPE html><p>text</p>"
    site.files["/page.html"], site.types["/page.html"] = page, "text/html"
    get_file(RemoteFile(f"{site.address}/page.html"), place, settings())
    assert place.read_bytes() == page


def test_a_server_that_says_nothing(site: Site, place: Path) -> None:
    site.answers[PATH] = [stall(1000, 1), stall(0, 1), stall(0, 1), stall(0, 1)]
    remote = RemoteFile(site.address + PATH)
    hurried = settings().model_copy(update={"timeout": 0.1})
    with pytest.raises(InputError, match=r"text.tgz: .*after 3 attempts"):
        get_file(remote, place, hurried)
    get(site, place, {})
    assert place.read_bytes() == BODY


def test_a_server_that_is_too_slow(site: Site, place: Path) -> None:
    site.answers[PATH] = [trickle(100, 0.02)]
    get(site, place, slowest=50_000.0, slow_after=0.2)
    assert place.read_bytes() == BODY
    assert len(site.requests) == 2


def test_a_redirect_to_another_host(site: Site, place: Path) -> None:
    with running("127.0.0.2") as other:
        other.files["/x"] = BODY
        redirect = status(302, Location=f"{other.address}/x")
        site.answers[PATH] = [redirect, redirect, redirect]
        assert "redirects to another host, 127.0.0.2, and no hash" in fault(site, place, {})
        assert other.requests == []
        get(site, place)  # with a published hash
        assert place.read_bytes() == BODY
        place.unlink()
        get(site, place, {}, hosts=("127.0.0.2",))
        assert place.read_bytes() == BODY


def test_redirects_on_one_host(site: Site, place: Path) -> None:
    site.files["/there"] = BODY
    site.answers[PATH] = [status(301, Location="/there")]
    get(site, place, {})
    site.answers["/round"] = [status(301, Location="/round")] * 20
    site.answers[PATH] = [status(301, Location="/round")]
    place.unlink()
    Path("config/downloads.lock").unlink()
    site.requests.clear()
    assert "more than 10 redirects" in fault(site, place, {})
    assert len(site.requests) == 10


def test_no_server_at_all(place: Path) -> None:
    with running() as site:
        address = site.address
    with pytest.raises(InputError, match=r"no connection \(.*after 3 attempts .*check the network"):
        get_file(RemoteFile(f"{address}/text.tgz"), place, settings())
    assert left(place) == set()


def test_mirrors_come_first_and_are_held_to_the_same_hash(site: Site, place: Path) -> None:
    with running() as mirror:
        mirror.files["/m/text.tgz"] = BODY[:-1] + b"x"
        mirrors = {f"{site.address}/wmt/": (f"{mirror.address}/none/", f"{mirror.address}/m/")}
        get(site, place, mirrors=mirrors)
        assert [path for path, _ in mirror.requests] == ["/none/text.tgz", "/m/text.tgz"]
        assert len(site.requests) == 1
        place.unlink()
        mirror.files["/m/text.tgz"] = BODY
        get(site, place, mirrors=mirrors)
        assert len(site.requests) == 1
    assert place.read_bytes() == BODY


def test_a_mirror_goes_on_with_what_another_began(site: Site, place: Path) -> None:
    with running() as mirror:
        mirror.answers["/text.tgz"] = [cut(100_000), *[status(503)] * 3]
        mirror.files["/text.tgz"] = BODY
        get(site, place, mirrors={f"{site.address}/wmt/": (f"{mirror.address}/",)})
    assert site.ranges_asked() == ["bytes=100000-"]
    assert place.read_bytes() == BODY


def test_a_part_of_another_server_is_not_gone_on_with(site: Site, place: Path) -> None:
    """Without a hash nothing would tell that the halves are of two files."""
    with running() as mirror:
        mirror.answers["/text.tgz"] = [cut(100_000), *[status(503)] * 3]
        mirror.files["/text.tgz"] = BODY[::-1]
        get(site, place, {}, mirrors={f"{site.address}/wmt/": (f"{mirror.address}/",)})
    assert site.ranges_asked() == [None]
    assert place.read_bytes() == BODY


def test_an_empty_answer_is_no_file(site: Site, place: Path) -> None:
    with running() as mirror:
        mirror.files["/text.tgz"] = b""
        mirrors = {f"{site.address}/wmt/": (f"{mirror.address}/",)}
        get(site, place, {}, mirrors=mirrors)
        assert place.read_bytes() == BODY
        place.unlink()
        Path("config/downloads.lock").unlink()
        site.files[PATH] = b""
        assert f"{site.address}{PATH}: is empty" in fault(site, place, {}, mirrors=mirrors)
        assert f"{site.address}{PATH}: is empty" in fault(site, place, {"size": 0})
    assert left(place) == set()
    assert not Path("config/downloads.lock").exists()


def test_a_local_copy_is_taken_and_checked(site: Site, place: Path) -> None:
    local = Path("data/local/wmt/text.tgz")
    local.parent.mkdir(parents=True)
    local.write_bytes(BODY)
    get(site, place)
    assert site.requests == []
    place.unlink()
    local.write_bytes(b"x")
    site.files.clear()
    assert "data/local/wmt/text.tgz: has 1 bytes, 300000 are expected; http" in fault(site, place)


def test_the_first_download_is_what_later_ones_must_be(site: Site, place: Path) -> None:
    lock = Path("config/downloads.lock")
    assert get(site, place, {})["verified"] == "first download"
    assert lock.read_text() == (
        f"address\tbytes\tsha256\n{site.address}{PATH}\t{len(BODY)}\t{SHA256}\n"
    )
    place.unlink()
    assert get(site, place, {})["verified"] == "locked"
    place.unlink()
    site.files[PATH] = BODY[:-1] + b"x"
    assert f"that of the first download was {SHA256}" in fault(site, place, {})
    site.files[PATH] = BODY + b"x"
    assert "has 300001 bytes, 300000 are expected" in fault(site, place, {})


def test_a_file_of_unknown_size_is_taken_with_a_warning_and_not_locked(
    site: Site, place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It may be cut off: then the lock file would refuse the whole one ever after."""
    site.answers[PATH] = [lambda handler, body: unsized(handler, body[:1000])]
    assert get(site, place, {})["verified"] == "no"
    assert place.read_bytes() == BODY[:1000]
    (warning,) = caplog.records
    assert warning.getMessage() == (
        f"{site.address}{PATH} may be cut off: the server gives no size; its hash is not kept"
    )
    assert not Path("config/downloads.lock").exists()
    for known in (None, {"size": len(BODY)}, {"hashes": {"sha256": SHA256}}):
        place.unlink()
        site.answers[PATH] = [unsized]
        assert get(site, place, known)["verified"] != "no"
    assert len(caplog.records) == 1


def test_a_file_in_chunks_is_known_to_be_whole(site: Site, place: Path) -> None:
    site.answers[PATH] = [chunked(BODY[:1000], whole=False), chunked(BODY, whole=True)]
    assert get(site, place, {})["verified"] == "first download"
    assert place.read_bytes() == BODY


def test_a_local_copy_is_not_locked(site: Site, place: Path) -> None:
    """A damaged one would have the right file refused."""
    local = Path("data/local/text.tgz")
    local.parent.mkdir(parents=True)
    local.write_bytes(b"half")
    assert get(site, place, {})["verified"] == "no"
    assert place.read_bytes() == b"half"
    local.unlink()
    assert get(site, place, {})["verified"] == "first download"
    assert place.read_bytes() == BODY


def test_one_of_several_processes_gets_a_file(
    site: Site, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that wrote one part left a hole where the second had cut it off."""
    begun, waits = threading.Event(), threading.Event()

    def locked(*paths: Path, on_wait: Any = None) -> AbstractContextManager[None]:
        def announce(owner: str) -> None:
            waits.set()
            on_wait(owner)

        return locks.locked(*paths, on_wait=on_wait and announce)

    def until_the_second_waits(handler: Any, body: bytes) -> None:
        def send(rest: bytes) -> None:
            handler.wfile.write(rest[:60_000])
            handler.wfile.flush()
            begun.set()
            waits.wait(PATIENCE)
            handler.wfile.write(rest[60_000:])

        serve(handler, body, send)

    monkeypatch.setattr("nlmt.corpora.network.locks.locked", locked)
    site.answers[PATH] = [until_the_second_waits]
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(get, site, place, {})
        assert begun.wait(PATIENCE)
        second = pool.submit(get, site, place, {})
        facts = [first.result(), second.result()]
    assert [found["sha256"] for found in facts] == [SHA256] * 2
    assert [found["verified"] for found in facts] == ["first download", "locked"]
    assert waits.is_set()
    assert place.read_bytes() == BODY
    assert site.ranges_asked() == [None]
    assert left(place) == {"text.tgz"}


def test_a_process_that_lost_its_place_puts_no_file_there(site: Site, place: Path) -> None:
    lock = place.with_name(".text.tgz.lock")

    def take(handler: Any, body: bytes) -> None:
        lock.unlink()
        lock.write_text(json.dumps(asdict(replace(Owner.here(), unique="another")) | {"count": 0}))
        serve(handler, body)

    site.answers[PATH] = [take]
    with pytest.raises(InputError, match="another one took over its work"):
        get(site, place, {})
    assert not place.exists()
    assert not Path("config/downloads.lock").exists()


def test_an_unknown_file_goes_on_only_from_what_was_there_when_its_process_stopped(
    site: Site, place: Path
) -> None:
    part = place.with_name(".text.tgz.part")
    for damage in (False, True):
        place.unlink(missing_ok=True)
        site.requests.clear()
        site.answers[PATH] = [cut(100_000), *[status(503)] * 3]
        fault(site, place, {})
        if damage:  # as a loss of power may leave it
            part.write_bytes(bytes(100_000))
        get(site, place, {})
        assert site.ranges_asked()[-1] == (None if damage else "bytes=100000-")
        assert place.read_bytes() == BODY
        Path("config/downloads.lock").unlink()


def test_what_an_earlier_process_may_still_have_open_is_copied(site: Site, place: Path) -> None:
    site.answers[PATH] = [cut(100_000), *[status(503)] * 3]
    fault(site, place)
    with place.with_name(".text.tgz.part").open("r+b") as suspended:
        get(site, place)
        suspended.write(bytes(1000))
    assert place.read_bytes() == BODY


def test_several_processes_write_one_lock_file(tmp_path: Path) -> None:
    lock = LockFile(tmp_path / "lock")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: lock.add(f"http://{n}", Known(n, "0" * 64)), range(24)))
    assert [lock.known(f"http://{n}") for n in range(24)] == [Known(n, "0" * 64) for n in range(24)]
    with pytest.raises(InputError, match="two downloads are not the same"):
        lock.add("http://1", Known(2, "0" * 64))


def test_a_bounded_number_of_connections_to_a_host(site: Site, place: Path) -> None:
    lock, waiting, counts = threading.Lock(), set[int](), []
    both = threading.Barrier(2, timeout=600)  # no answer before there are two connections

    # Counted before the answer: the client may be done before the server's handler is.
    def together(handler: Any, body: bytes) -> None:
        with lock:
            waiting.add(id(handler))
            counts.append(len(waiting))
        both.wait()
        with lock:
            waiting.remove(id(handler))
        serve(handler, body)

    for number in range(6):
        site.files[f"/{number}"] = BODY
        site.answers[f"/{number}"] = [together]
    with ThreadPoolExecutor(6) as pool:
        started = [
            pool.submit(
                get_file,
                RemoteFile(f"{site.address}/{number}"),
                place.parent / str(number),
                settings(connections=2),
            )
            for number in range(6)
        ]
    for future in started:
        future.result()
    assert len(counts) == 6
    assert max(counts) == 2
    assert all((place.parent / str(number)).read_bytes() == BODY for number in range(6))


def _enter(folder: Path, waiting: Event, inside: Event) -> None:
    """Enter the place, and say so if it must be waited for."""
    locks._log_waiting = lambda owner: waiting.set()
    with place_at("host", 1, folder):
        inside.set()


def test_places_are_shared_by_processes(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    waiting, inside = context.Event(), context.Event()
    process = context.Process(target=_enter, args=(tmp_path, waiting, inside))
    with place_at("host", 1, tmp_path):
        process.start()
        assert waiting.wait(600)
        assert not inside.is_set()
    process.join(600)
    assert process.exitcode == 0
    assert inside.is_set()


def test_a_full_disk_is_seen_before_the_download(
    site: Site, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(".")._replace(free=1000)
    monkeypatch.setattr("nlmt.corpora.network.client.shutil.disk_usage", lambda _: usage)
    with pytest.raises(InputError, match=r"text.tgz needs 300.0 kB, and 1.0 kB are free"):
        get(site, place)
    assert not place.exists()


def test_a_corpus_of_kind_url(site: Site, place: Path) -> None:
    entry = {
        "kind": "url",
        "folder": "wmt",
        "languages": {"fr": "French", "en": "English"},
        "downloads": {"text.tgz": {"url": site.address + PATH, "md5": None, "sha256": SHA256}},
        "files": {"test": "text.tgz/dev/news.{language}"},
    }
    corpora = read_corpora({"news": entry})
    ((path, what),) = downloads(corpora).items()
    assert (path, what["request"]["sha256"]) == (str(place), SHA256)
    download(what, place, Path("record.json"), settings())
    assert place.read_bytes() == BODY
    with pytest.raises(InputError, match=r"news: files: txt.tgz: no such download \(did you mean"):
        read_corpora({"news": entry | {"files": {"test": "txt.tgz"}}})
    with pytest.raises(InputError, match=r"news.downloads.text.tgz.url: 'ftp://x' does not have"):
        read_corpora({"news": entry | {"downloads": {"text.tgz": {"url": "ftp://x"}}}})
    second = entry | {"downloads": {"text.tgz": {"url": "http://other"}}}
    with pytest.raises(InputError, match="another file in another corpus"):
        downloads(read_corpora({"news": entry, "other": second}))
