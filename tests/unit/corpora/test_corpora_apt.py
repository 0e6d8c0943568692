import json
from pathlib import Path

import pytest

from nlmt.corpora import download as download_file
from nlmt.errors import InputError
from nlmt.io.hashes import file_hash

PACKAGE = "libreoffice-help-fr"


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


def download(raw: Path, pins=None) -> dict[str, object]:
    what = {"source": "apt", "request": {"package": PACKAGE, "pins": pins or {}}}
    download_file(what, raw / "fr.deb", raw / "fr.json")
    return json.loads((raw / "fr.json").read_text())


def left(raw: Path) -> set[str]:
    return {path.name for path in raw.iterdir()} - {".lock"}


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


def test_no_apt_at_all(raw, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    with pytest.raises(InputError, match="apt-get: No such file"):
        download(raw)
    assert left(raw) == set()
