"""Debian packages of pinned versions, from mirrors of the archive and from the snapshot service.

Neither is trusted: the SHA-256 that is pinned says which file is right.
"""

import json
import logging
import re
from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

from nlmt.corpora.network.client import MissingError, UnavailableError
from nlmt.corpora.network.files import RemoteFile, get_checked
from nlmt.corpora.network.locks import alone_at
from nlmt.corpora.network.settings import DownloadSettings

_ARCHITECTURE = "all"
_SHA1 = re.compile(r"[0-9a-f]{40}")

# The address of a package, by name and version, at a server.
_Locate: TypeAlias = Callable[[str, str], str]


def get_pinned(
    names: Mapping[str, str],
    pins: Mapping[str, str],
    destination: Path,
    settings: DownloadSettings,
) -> tuple[str, str]:
    """Download the first pinned version that a server has, and return its name and version.

    Only a server that says that it does not have a version is asked for the next one: a server that
    fails does not decide which version a corpus is of.

    Args:
        names: of a package of the section `main`, for all architectures, each with the source
            package that it is built from; releases of Debian may name it otherwise.
        pins: SHA-256 of each version that may be taken, the preferred one first.
        destination: path of the package.
        settings: name the servers.

    Raises:
        UnavailableError: no server has any of the versions; gives a reason for each.
        InputError: the disk is too small.
    """
    servers: dict[str, _Locate] = {
        mirror: partial(_in_pool, mirror, names) for mirror in settings.debian.mirrors
    }
    if settings.debian.snapshot is not None:
        snapshot = settings.debian.snapshot
        servers[snapshot] = partial(_in_snapshot, snapshot, destination, settings)
    faults = {server: f"{server} has no {' or '.join(pins)}" for server in servers}
    failed = set()
    with alone_at(destination):
        for version, server, name in product(pins, servers, names):
            if server in failed:
                continue
            try:
                address = servers[server](name, version)
                remote = RemoteFile(address, hashes={"sha256": pins[version]})
                get_checked(address, destination, remote, None, settings)
            except MissingError as error:
                logging.info("%s", error)
            except UnavailableError as error:
                logging.warning("%s", error)
                faults[server] = str(error)
                failed.add(server)
            else:
                return name, version
    raise UnavailableError("; ".join(faults.values()))


def _in_pool(mirror: str, sources: Mapping[str, str], name: str, version: str) -> str:
    """The address of a package's version on a mirror."""
    source = sources[name]
    prefix = source[:4] if source.startswith("lib") else source[:1]
    without_epoch = version.rpartition(":")[2]
    file = f"{name}_{without_epoch}_{_ARCHITECTURE}.deb"
    return f"{mirror.rstrip('/')}/pool/main/{prefix}/{source}/{quote(file)}"


def _in_snapshot(
    snapshot: str, destination: Path, settings: DownloadSettings, name: str, version: str
) -> str:
    """Ask the snapshot service for the address of a package's version."""
    base = snapshot.rstrip("/")
    question = f"{base}/mr/binary/{name}/{quote(version, safe='')}/binfiles"
    answer = destination.with_name(f".{destination.name}.binfiles")
    get_checked(question, answer, RemoteFile(question), None, settings)
    try:
        files = json.loads(answer.read_bytes())["result"]
        hashes = [file["hash"] for file in files if file["architecture"] == _ARCHITECTURE]
        if not all(_SHA1.fullmatch(digest) for digest in hashes):
            raise ValueError
    except (ValueError, KeyError, TypeError):
        raise UnavailableError(f"{question}: not an answer of the snapshot service") from None
    finally:
        answer.unlink()
    if not hashes:
        raise MissingError(f"{question}: no file for the architecture {_ARCHITECTURE}")
    return f"{base}/file/{hashes[0]}"
