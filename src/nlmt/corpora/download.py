"""Get a Debian package with apt-get, check its hash, and put it where the corpus is read from."""

import fcntl
import hashlib
import json
import logging
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from nlmt.corpora.catalogue import AptCorpus
from nlmt.corpora.debian import read_control
from nlmt.errors import InputError
from nlmt.io.files import atomic_path, write_text

_APT = ("apt-get", "-q", "-o", "Acquire::Retries=2", "-o", "Acquire::http::Timeout=30")
_BLOCK = 1 << 20


def download_package(corpus: AptCorpus, language: str, destination: Path, record: Path) -> None:
    """Get the package of `language`, checked, as `destination`, and what it is as `record`.

    A `.deb` of the package that lies in the folder of `destination`, put there by hand, is taken
    instead of a download. A version that the configuration pins must have the pinned hash. Any
    other is taken on the strength of apt's signed index, and its hash is logged: a point release
    of Debian brings a new version of the package with the same text.

    `record` is JSON: package, version, sha256, pinned (whether the hash was compared).

    Raises:
        InputError: apt cannot get it, or the file is damaged, another package, or has another
            hash than the pinned one. Nothing is written then.
    """
    package = corpus.packages[language]
    folder = destination.parent
    folder.mkdir(parents=True, exist_ok=True)
    by_hand = sorted(folder.glob(f"{package}_*.deb"))
    if by_hand:
        logging.info("taking %s, put there by hand", by_hand[-1])
        _install(by_hand[-1], corpus, language, destination, record)
        return
    with (
        _only_one(folder / ".lock"),
        tempfile.TemporaryDirectory(dir=folder, prefix=".download-") as temporary,
    ):
        _apt_download(package, Path(temporary), folder)
        _install(next(Path(temporary).glob("*.deb")), corpus, language, destination, record)


def _install(
    found: Path, corpus: AptCorpus, language: str, destination: Path, record: Path
) -> None:
    """Check `found` and copy it to `destination`."""
    package = corpus.packages[language]
    control = read_control(found)
    if control.get("Package") != package:
        raise InputError(
            f"holds the package {control.get('Package')}, not {package}",
            path=found,
            hint="remove it and run again",
        )
    version = control.get("Version", "")
    digest = file_sha256(found)
    pinned = corpus.pins.get(version, {}).get(language)
    if pinned is None:
        logging.info("%s %s is not pinned; sha256 %s", package, version, digest)
    elif digest != pinned:
        raise InputError(
            f"{package} {version}: sha256 is {digest}, pinned is {pinned}",
            path=found,
            hint="the file is damaged or forged: remove it and run again",
        )
    else:
        logging.info("%s %s has the pinned sha256", package, version)
    facts = {
        "package": package,
        "version": version,
        "sha256": digest,
        "pinned": pinned is not None,
    }
    with atomic_path(destination) as temporary:
        temporary.write_bytes(found.read_bytes())
        write_text(record, json.dumps(facts, indent=2) + "\n")


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


@contextmanager
def _only_one(path: Path) -> Iterator[None]:
    """Wait until no other process holds `path`: apt fails where two update its lists at once."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _apt_download(package: str, temporary: Path, folder: Path) -> None:
    """Download `package` into `temporary`; bring apt's lists up to date where that may help."""
    download = [*_APT, "download", package]
    fault = _run(download, temporary)
    if fault and os.geteuid() == 0:
        # A fresh machine has no package lists, and old ones name files that are gone.
        logging.info("apt-get download failed (%s): updating the package lists", fault)
        update_fault = _run([*_APT, "-o", "APT::Update::Error-Mode=any", "update"], temporary)
        # One source out of reach is no harm where the others have the package.
        if fault := _run(download, temporary):
            fault = update_fault or fault
    if not fault and not any(temporary.glob("*.deb")):
        fault = "apt-get download left no file"
    if fault:
        raise InputError(
            f"cannot download the Debian package {package}: {fault}",
            hint=f"see that the network works and that apt knows the package (apt-get update, as "
            f"root), or put {package}_<version>_all.deb by hand into {folder}/",
        )


def _run(command: Sequence[str], folder: Path) -> str:
    """Run `command` in `folder`; return what went wrong on one line, or nothing."""
    environment = {**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
    try:
        result = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    faults = [line for line in result.stderr.splitlines() if line.startswith("E:")]
    return "" if result.returncode == 0 else (faults or [f"{command[0]} failed"])[0]
