"""Download of a file by its address from a local folder, a mirror or the official server."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from nlmt.corpora.network.client import UnavailableError, Wanted, discard_part, get_part
from nlmt.corpora.network.locks import Known, LockFile, alone_at, place_at
from nlmt.corpora.network.settings import DownloadSettings
from nlmt.errors import InputError
from nlmt.io.files import atomic_path, copy_file, file_hash, put_in_place


@dataclass(frozen=True)
class RemoteFile:
    """A file on a web server.

    `hashes` are in hexadecimal, by the name of the method (sha256, sha1, md5), as published.
    """

    address: str
    size: int | None = None
    hashes: Mapping[str, str] = field(default_factory=dict)


def get_file(remote: RemoteFile, destination: Path, settings: DownloadSettings) -> dict[str, Any]:
    """Download a file and check it; until then it has a hidden name beside `destination`.

    One of the processes that share the folder downloads the file, the others wait for it. If no
    hash is published, size and hash of the first download that is known to be whole go into the
    lock file, and later downloads must agree with them.

    Returns:
        Address, size and SHA-256, ready for JSON; and `verified`: `published`, `locked`,
        `first download`, or `no` for a local copy, or a download, that nothing confirms.

    Raises:
        InputError: no server has it, or none has the right one; the disk is too small.
    """
    with alone_at(destination) as waited:
        lock = LockFile(Path(settings.lock))
        known = None if remote.hashes.get("sha256") else lock.known(remote.address)
        verified = bool(remote.hashes) or known is not None
        if waited and verified and destination.exists() and not _fault(destination, remote, known):
            logging.info("%s: another process has downloaded it", remote.address)
            return _facts(destination, remote, known, lock, whole=True)
        return _get_file(remote, destination, known, lock, settings)


def _get_file(
    remote: RemoteFile,
    destination: Path,
    known: Known | None,
    lock: LockFile,
    settings: DownloadSettings,
) -> dict[str, Any]:
    """Take a file from the first place that has the right one."""
    faults: list[str] = []
    for found in _local_copies(destination, settings):
        if not (fault := _fault(found, remote, known)):
            logging.info("%s: taking %s", remote.address, found)
            with atomic_path(destination) as temporary:
                copy_file(found, temporary)
            return _facts(destination, remote, known, lock, whole=False)
        faults.append(f"{found}: {fault}")
    for address in _addresses(remote.address, settings):
        try:
            whole = get_checked(address, destination, remote, known, settings)
        except UnavailableError as error:
            logging.warning("%s", error)
            faults.append(str(error))
            continue
        facts = _facts(destination, remote, known, lock, whole)
        if facts["verified"] == "no":
            what = "may be cut off: the server gives no size; its hash is not kept"
            logging.warning("%s %s", address, what)
        return facts
    raise InputError(
        f"cannot download {destination.name}: {'; '.join(faults)}",
        hint=f"check the network, name a mirror in download.mirrors, or put the file into "
        f"{' or '.join(settings.local) or 'a folder that download.local names'}",
    )


def _addresses(official: str, settings: DownloadSettings) -> list[str]:
    """Return all addresses of a file, mirrors first."""
    found = [
        mirror + official.removeprefix(base)
        for base, mirrors in settings.mirrors.items()
        if official.startswith(base)
        for mirror in mirrors
    ]
    return list(dict.fromkeys([*found, official]))


def _local_copies(destination: Path, settings: DownloadSettings) -> list[Path]:
    names = (Path(destination.parent.name, destination.name), Path(destination.name))
    paths = [Path(folder, name) for folder in settings.local for name in names]
    return [path for path in paths if path.is_file()]


def get_checked(
    address: str,
    destination: Path,
    remote: RemoteFile,
    known: Known | None,
    settings: DownloadSettings,
) -> bool:
    """Download a file from one address and check it; until then it has a hidden name.

    The part that an earlier call left is resumed; if the file then proves wrong, all of it is
    downloaded again.

    `known` are size and hash of its first download, if there was one.

    Returns:
        Whether the file is known to be whole.

    Raises:
        UnavailableError: the server does not have it, has another file, or failed too often.
        InputError: the disk is too small.
    """
    part = destination.with_name(f".{destination.name}.part")
    wanted = Wanted(
        name=destination.name.removeprefix("."),
        size=known.size if known and remote.size is None else remote.size,
        verified=bool(remote.hashes) or known is not None,
        html=remote.address.endswith((".html", ".htm")),
    )
    host = urlsplit(address).hostname or ""
    resumed = part.exists()
    try:
        with place_at(host, settings.connections, part.parent.parent / ".servers"):
            whole = get_part(address, part, wanted, settings)
            fault = _fault(part, remote, known)
            if fault and resumed:
                logging.info("%s: %s; downloading all of it again", address, fault)
                discard_part(part)
                whole = get_part(address, part, wanted, settings)
                fault = _fault(part, remote, known)
    finally:
        if part.exists() and part.stat().st_size == 0:
            discard_part(part)
    if fault:
        discard_part(part)
        raise UnavailableError(f"{address}: {fault}")
    put_in_place(part, destination)
    discard_part(part)
    return whole


def _fault(path: Path, remote: RemoteFile, known: Known | None) -> str:
    """The fault of a file: empty, or not as published or first downloaded; no text if none."""
    size = path.stat().st_size
    if size == 0:
        return "is empty"
    expected = remote.size if remote.size is not None or known is None else known.size
    if expected is not None and size != expected:
        return f"has {size} bytes, {expected} are expected"
    for method, published in remote.hashes.items():
        if (digest := file_hash(path, method)) != published:
            return f"{method} is {digest}, {published} is published"
    if known is not None and (digest := file_hash(path)) != known.sha256:
        return f"sha256 is {digest}, that of the first download was {known.sha256}"
    return ""


def _facts(
    path: Path, remote: RemoteFile, known: Known | None, lock: LockFile, whole: bool
) -> dict[str, Any]:
    """Return the facts about a file that is in its place; lock the first one if it is `whole`."""
    found = Known(path.stat().st_size, file_hash(path))
    if remote.hashes:
        verified = "published"
    elif known:
        verified = "locked"
    else:
        verified = "first download" if whole else "no"
    if "sha256" not in remote.hashes and known is None and verified != "no":
        lock.add(remote.address, found)
    return {
        "address": remote.address,
        "bytes": found.size,
        "sha256": found.sha256,
        "verified": verified,
    }
