import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from web_site import Site, cut, running, serve, status

from nlmt.corpora import SOURCES, DownloadSettings, downloads, read_corpora, text_sizes
from nlmt.corpora import download as download_file
from nlmt.corpora.debian import version_key
from nlmt.corpora.network.settings import DebianSettings
from nlmt.errors import InputError
from nlmt.io.files import file_hash

PACKAGE = "libreoffice-help-fr"
OLD, NEW = "4:7.4.7-1+deb12u13", "4:7.4.7-1+deb12u14"
POOL = f"/debian/pool/main/libr/libreoffice/{PACKAGE}_7.4.7-1%2Bdeb12u"
BINFILES = f"/mr/binary/{PACKAGE}/4%3A7.4.7-1%2Bdeb12u"


@pytest.fixture
def raw(tmp_path) -> Path:
    folder = tmp_path / "raw"
    folder.mkdir()
    return folder


@pytest.fixture
def fake_apt(tmp_path, monkeypatch):
    """Put a script in the place of apt-get, the network, that does as `body` says."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def install(body: str) -> Path:
        log = tmp_path / "apt.log"
        script = folder / "apt-get"
        script.write_text(f'#!/bin/sh\necho "$@" >> {log}\n{body}\n')
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
        return log

    return install


def download(raw: Path, pins=None, version=None, **servers) -> dict[str, object]:
    request = {
        "package": PACKAGE,
        "source": "libreoffice",
        "version": version,
        "pins": pins or {},
    }
    settings = DownloadSettings(
        debian=DebianSettings(**servers),
        retries=2,
        first_pause=0.01,
        longest_pause=0.02,
        timeout=600,
        local=(str(raw / "local"),),
    )
    download_file({"source": "apt", "request": request}, raw / "fr.deb", raw / "fr.json", settings)
    return json.loads((raw / "fr.json").read_text())


def left(raw: Path) -> set[str]:
    return {path.name for path in raw.iterdir()} - {".lock", ".servers"}


@pytest.fixture
def no_apt(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "none"))


@pytest.fixture
def mirror() -> Iterator[Site]:
    with running() as site:
        yield site


@pytest.fixture
def snapshot() -> Iterator[Site]:
    with running() as site:
        yield site


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def keep(snapshot: Site, release: int, content: bytes) -> None:
    """Put a version into a snapshot service, as it answers (the file API of its source)."""
    digest = hashlib.sha1(content, usedforsecurity=False).hexdigest()
    hashes = [("amd64", "0" * 40), ("all", digest), ("all", "1" * 40)]
    files = [{"architecture": of, "hash": found} for of, found in hashes]
    answer = {"binary": PACKAGE, "binary_version": f"4:7.4.7-1+deb12u{release}", "result": files}
    snapshot.files[f"{BINFILES}{release}/binfiles"] = json.dumps(answer).encode()
    snapshot.files[f"/file/{digest}"] = content


def paths(site: Site) -> list[str]:
    return [path for path, _ in site.requests]


def test_a_package_comes_through_apt(make_deb, raw, fake_apt):
    deb = make_deb({"./a": b"1"}, name="there.deb")
    log = fake_apt(f"cp {deb} {PACKAGE}_4%3a7.4.7-1_all.deb")
    digest = file_hash(deb)
    facts = {"package": PACKAGE, "version": "4:7.4.7-1", "sha256": digest}
    assert download(raw) == facts | {"pinned": False}
    assert download(raw, {"4:7.4.7-1": digest}) == facts | {"pinned": True}
    assert (raw / "fr.deb").read_bytes() == deb.read_bytes()
    assert left(raw) == {"fr.deb", "fr.json"}
    assert log.read_text().split("\n")[0].endswith(f"download {PACKAGE}")


def test_the_first_name_that_apt_has_is_taken(make_deb, raw, fake_apt):
    deb = make_deb({"./a": b"1"}, name="there.deb")
    fake_apt(
        f'case "$*" in *old-name) echo "E: Unable to locate old-name" >&2; exit 100;;\n'
        f"*{PACKAGE}) cp {deb} {PACKAGE}_1_all.deb;; *) exit 1;; esac"
    )
    request = {"package": "old-name", "source": "old", "version": None, "pins": {}}
    what = {"source": "apt", "request": request | {"others": {PACKAGE: "libreoffice"}}}
    download_file(what, raw / "old-name.deb", raw / "old-name.json")
    assert json.loads((raw / "old-name.json").read_text())["package"] == PACKAGE
    what["request"] |= {"others": {"older-name": "old"}, "pins": {"1": "00" * 32}}
    expected = r"old-name \(version 1\): .*corpora\.raw\.version"
    with pytest.raises(InputError, match=expected):
        download_file(what, raw / "again.deb", raw / "again.json")


def test_names_and_sources_of_packages():
    corpus = {
        "kind": "apt",
        "format": {"kind": "pages", "markup": "man", "paths": ["{language}/{page}"]},
        "languages": {"en": "English", "fr": "French"},
        "packages": {"en": ["doc-2", "doc-3"], "fr": "doc-fr"},
        "source": {"en": ["doc", "doc-3"], "fr": "doc-l10n"},
        "about_mb": {"en": 7},
        "text_mb": {"fr": 0.5},
        "pins": {"2": {"en": "0" * 64}},
    }
    corpora = read_corpora({"doc": corpus})
    sizes = SOURCES.get("apt").about_mb("doc", corpora["doc"])
    assert sizes == {Path("data/raw/doc/doc-2.deb"): 7}
    assert text_sizes(corpora) == {"data/raw/doc/doc-fr.deb": 500_000}
    found = downloads(corpora)
    assert {path: what["request"] for path, what in found.items()} == {
        "data/raw/doc/doc-2.deb": {
            "package": "doc-2",
            "source": "doc",
            "version": None,
            "pins": {"2": "0" * 64},
            "others": {"doc-3": "doc-3"},
        },
        "data/raw/doc/doc-fr.deb": {
            "package": "doc-fr",
            "source": "doc-l10n",
            "version": None,
            "pins": {},
        },
    }
    corpus["source"] = {"en": ["doc"]}
    with pytest.raises(InputError, match="source: en needs one for each name"):
        read_corpora({"doc": corpus})


def test_another_hash_than_the_pinned_one_is_refused(make_deb, raw, fake_apt):
    deb = make_deb({"./a": b"1"}, name="there.deb")
    fake_apt(f"cp {deb} {PACKAGE}_1_all.deb")
    with pytest.raises(InputError, match=r"sha256 is .*, pinned is 00"):
        download(raw, {"4:7.4.7-1": "00" * 32})
    assert left(raw) == set()


def test_a_package_put_there_by_hand_is_taken_and_checked(make_deb, raw, fake_apt):
    log = fake_apt("exit 1")
    deb = make_deb({"./a": b"1"}, name=f"raw/{PACKAGE}_4%3a7.4.7-1_all.deb")
    assert download(raw)["sha256"] == file_hash(deb)
    assert not log.exists()
    deb.write_bytes(deb.read_bytes()[:40])
    with pytest.raises(InputError, match="damaged Debian package"):
        download(raw)
    make_deb({}, package="cowsay", name=f"raw/{PACKAGE}_4%3a7.4.7-1_all.deb")
    with pytest.raises(InputError, match="holds the package cowsay, not libreoffice-help-fr"):
        download(raw)


def test_a_fresh_machine_gets_its_lists_first(make_deb, raw, fake_apt, tmp_path, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    deb, lists = make_deb({"./a": b"1"}, name="there.deb"), tmp_path / "lists"
    fake_apt(
        f'for last; do :; done\nif [ "$last" = update ]; then touch {lists}; exit 0; fi\n'
        f'[ -e {lists} ] || {{ echo "E: Unable to locate package" >&2; exit 100; }}\n'
        f"cp {deb} {PACKAGE}_1_all.deb"
    )
    assert download(raw)["version"] == "4:7.4.7-1"


@pytest.mark.parametrize("root", [True, False])
def test_no_network_is_one_clear_message(raw, fake_apt, monkeypatch, root):
    monkeypatch.setattr("os.geteuid", lambda: 0 if root else 1000)
    log = fake_apt('echo "W: slow" >&2; echo "E: Failed to fetch it" >&2; exit 100')
    with pytest.raises(InputError) as caught:
        download(raw)
    message = str(caught.value)
    assert "cannot download the Debian package libreoffice-help-fr: E: Failed to fetch" in message
    assert f"by hand into {raw}/" in message
    assert "\n" not in message
    assert left(raw) == set()
    assert log.read_text().count("download") == (2 if root else 1)


def test_no_apt_at_all(raw, no_apt):
    with pytest.raises(
        InputError, match=r"there is no apt-get; .*names no server .*snapshot service"
    ):
        download(raw)
    assert left(raw) == set()


def test_a_mirror_gives_the_package_without_apt(raw, no_apt, mirror):
    mirror.files[f"{POOL}13_all.deb"] = b"old"
    address = f"{mirror.address}/debian/"
    facts = download(raw, {OLD: sha256(b"old"), NEW: sha256(b"new")}, mirrors=(address,))
    assert facts == {"package": PACKAGE, "version": OLD, "sha256": sha256(b"old"), "pinned": True}
    assert (raw / "fr.deb").read_bytes() == b"old"
    assert paths(mirror) == [f"{POOL}13_all.deb"]
    assert left(raw) == {"fr.deb", "fr.json"}


def test_one_process_at_a_time_asks_servers_for_a_package(raw, no_apt, mirror):
    locked = []

    def look(handler, body):
        locked.append((raw / ".fr.deb.lock").exists())
        serve(handler, body)

    mirror.files[f"{POOL}13_all.deb"], mirror.answers[f"{POOL}13_all.deb"] = b"old", [look]
    download(raw, {OLD: sha256(b"old")}, mirrors=(f"{mirror.address}/debian",))
    assert locked == [True]


def test_apt_without_the_package_is_no_apt(raw, fake_apt, mirror):
    fake_apt('echo "E: Unable to locate package" >&2; exit 100')
    mirror.files[f"{POOL}14_all.deb"] = b"new"
    servers = {"mirrors": (f"{mirror.address}/debian",)}
    assert download(raw, {NEW: sha256(b"new")}, **servers)["version"] == NEW


def test_pinned_versions_are_tried_in_their_order(raw, no_apt, mirror, snapshot):
    """Of each version first the mirrors, then the snapshots."""
    keep(snapshot, 14, b"new")
    servers = {"mirrors": (f"{mirror.address}/debian",), "snapshot": f"{snapshot.address}/"}
    pins = {OLD: sha256(b"old"), NEW: sha256(b"new")}
    assert download(raw, pins, **servers)["version"] == NEW
    assert paths(mirror) == [f"{POOL}13_all.deb", f"{POOL}14_all.deb"]
    digest = hashlib.sha1(b"new", usedforsecurity=False).hexdigest()
    asked = [f"{BINFILES}13/binfiles", f"{BINFILES}14/binfiles", f"/file/{digest}"]
    assert paths(snapshot) == asked
    keep(snapshot, 13, b"old")
    assert download(raw, pins, **servers)["version"] == OLD
    assert left(raw) == {"fr.deb", "fr.json"}


def test_a_pinned_version_comes_by_the_name_that_its_release_has(raw, no_apt, mirror, snapshot):
    """From the folder of its own source package, on mirrors, and from the snapshot service."""
    old, new = "/pool/main/o/old-17/old-17-doc_17.1-1_all.deb", "21-doc_21.1-1_all.deb"
    mirror.files[f"/pool/main/o/old-21/old-{new}"] = b"new"
    pins = {"17.1-1": sha256(b"old"), "21.1-1": sha256(b"new")}
    request = {"package": "old-17-doc", "source": "old-17", "version": None, "pins": pins}
    what = {"source": "apt", "request": request | {"others": {"old-21-doc": "old-21"}}}
    settings = DownloadSettings(debian=DebianSettings(mirrors=(mirror.address,)))
    download_file(what, raw / "old.deb", raw / "old.json", settings)
    facts = json.loads((raw / "old.json").read_text())
    assert (facts["package"], facts["version"]) == ("old-21-doc", "21.1-1")
    assert paths(mirror)[0] == old
    digest = hashlib.sha1(b"new", usedforsecurity=False).hexdigest()
    answer = {"result": [{"architecture": "all", "hash": digest}]}
    snapshot.files["/mr/binary/old-21-doc/21.1-1/binfiles"] = json.dumps(answer).encode()
    snapshot.files[f"/file/{digest}"] = b"new"
    settings = DownloadSettings(debian=DebianSettings(snapshot=snapshot.address))
    download_file(what, raw / "again.deb", raw / "again.json", settings)
    assert json.loads((raw / "again.json").read_text())["package"] == "old-21-doc"


def test_a_server_with_another_file_is_refused(raw, no_apt, mirror, snapshot):
    mirror.files[f"{POOL}13_all.deb"] = b"forged"
    keep(snapshot, 13, b"forged, too")
    servers = {"mirrors": (f"{mirror.address}/debian",), "snapshot": snapshot.address}
    for key, address in servers.items():
        with pytest.raises(InputError, match=r"sha256 is .* is published"):
            download(raw, {OLD: sha256(b"old")}, **{key: address})
    assert left(raw) == set()
    keep(snapshot, 13, b"old")
    assert download(raw, {OLD: sha256(b"old")}, **servers)["sha256"] == sha256(b"old")


def test_a_server_that_fails_does_not_choose_the_version(raw, no_apt, mirror):
    mirror.answers[f"{POOL}13_all.deb"] = [status(503)] * 3
    mirror.files[f"{POOL}14_all.deb"] = b"new"
    pins = {OLD: sha256(b"old"), NEW: sha256(b"new")}
    with pytest.raises(InputError, match=r"answers 503 .*after 3 attempts"):
        download(raw, pins, mirrors=(f"{mirror.address}/debian",))
    assert left(raw) == set()


def test_versions_that_no_server_has(raw, no_apt, mirror, snapshot):
    servers = {"mirrors": (f"{mirror.address}/debian",), "snapshot": snapshot.address}
    none = rf": there is no apt-get; {mirror.address}/debian has no {OLD} or {NEW}; "
    none = (none + f"{snapshot.address} has no {OLD} or {NEW} ").replace("+", r"\+")
    with pytest.raises(InputError, match=none):
        download(raw, {OLD: sha256(b"old"), NEW: sha256(b"new")}, **servers)
    with pytest.raises(InputError, match="no hash of it is pinned"):
        download(raw, {}, **servers)


def test_a_download_from_a_mirror_goes_on_where_it_stopped(raw, no_apt, mirror):
    body = bytes(range(256)) * 100
    mirror.files[f"{POOL}13_all.deb"] = body
    mirror.answers[f"{POOL}13_all.deb"] = [cut(1000)]
    download(raw, {OLD: sha256(body)}, mirrors=(f"{mirror.address}/debian",))
    assert mirror.ranges_asked() == [None, "bytes=1000-"]
    assert (raw / "fr.deb").read_bytes() == body


@pytest.mark.parametrize(
    "answer", [b"no JSON", b"[]", b"{}", b'{"result": [{"architecture": "all", "hash": "../x"}]}']
)
def test_another_answer_than_that_of_a_snapshot_service(raw, no_apt, snapshot, answer):
    snapshot.files[f"{BINFILES}13/binfiles"] = answer
    with pytest.raises(InputError, match="binfiles: not an answer of the snapshot service"):
        download(raw, {OLD: sha256(b"old")}, snapshot=snapshot.address)
    assert left(raw) == set()


def test_a_version_that_a_snapshot_has_for_other_machines_only(raw, no_apt, snapshot):
    keep(snapshot, 14, b"new")
    answer = {"result": [{"architecture": "amd64", "hash": "0" * 40}]}
    snapshot.files[f"{BINFILES}13/binfiles"] = json.dumps(answer).encode()
    pins = {OLD: sha256(b"old"), NEW: sha256(b"new")}
    assert download(raw, pins, snapshot=snapshot.address)["version"] == NEW
    assert left(raw) == {"fr.deb", "fr.json"}


def test_a_version_that_is_asked_for(make_deb, raw, fake_apt, snapshot):
    deb = make_deb({"./a": b"1"}, version=OLD, name="there.deb")
    log = fake_apt(f"cp {deb} {PACKAGE}_1_all.deb")
    assert download(raw, version=OLD)["version"] == OLD
    assert log.read_text().endswith(f" download {PACKAGE}={OLD}\n")
    with pytest.raises(InputError, match=r"is version 4:7.4.7-1\+deb12u13 of .*, not .*deb12u14"):
        download(raw, version=NEW)
    fake_apt(f'echo "E: Version {OLD} was not found" >&2; exit 100')
    keep(snapshot, 13, b"old")
    pins = {NEW: sha256(b"new"), OLD: sha256(b"old")}
    assert download(raw, pins, OLD, snapshot=snapshot.address)["version"] == OLD
    with pytest.raises(InputError, match=r"no hash of 4:1-1 is pinned"):
        download(raw, pins, "4:1-1", snapshot=snapshot.address)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("4:7.4.7-1+deb12u9", "4:7.4.7-1+deb12u14"),
        ("9.0-1", "1:1.0-1"),
        ("1.0~rc2-1", "1.0-1"),
        ("1.0~~", "1.0~"),
        ("1.0-9-1", "1.0-10-1"),
        ("1.0-1", "1.0-1+b1"),
        ("1.0", "1.0-1"),
        ("1.0a", "1.0+"),
        ("1.09", "1.10"),
        ("1.0+dfsg", "1.0.1"),
    ],
)
def test_the_order_of_versions(older, newer):
    assert version_key(older) < version_key(newer)


def test_the_newest_version_that_was_put_there_by_hand(make_deb, raw, no_apt):
    def put(*versions):
        for version in versions:
            file = f"raw/{PACKAGE}_{version.replace(':', '%3a')}_all.deb"
            make_deb({"./a": b"1"}, version=version, name=file)

    put(OLD, NEW, "4:7.4.7-1+deb12u9")
    assert download(raw)["version"] == NEW
    put(OLD.replace("4:7", "4:17"))
    assert download(raw, version=OLD)["version"] == OLD
