"""Checks of network access: Debian packages, the registry of Python packages.

No address is known here: apt and pip are asked, as they are configured, and the servers of
`download.debian` are those of the configuration.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import requests

from nlmt.doctor.check import Check, State

_SECONDS = 30
_APT_REMEDY = "apt-get update, as root; without network: data/README.md"
_SERVER_REMEDY = "set download.debian.mirrors (data/README.md)"


def access(config: Mapping[str, Any]) -> Iterator[Check]:
    """Yield the checks of the network that a configuration, not checked yet, needs."""
    servers = _servers(config)
    if shutil.which("apt-get") is not None:
        yield _apt(_package(config))
    elif not servers:
        found = "without apt, download.debian must name a server of the default corpus"
        yield Check("Debian packages", State.WARNING, found, _SERVER_REMEDY)
    yield from map(_server, servers)
    yield _registry()


def _apt(package: str) -> Check:
    """Check that apt knows a source of a package, without downloading it."""
    fault = _fault(["apt-get", "-q", "--print-uris", "download", package])
    if fault:
        return Check("apt", State.WARNING, f"does not know {package}: {fault}", _APT_REMEDY)
    return Check("apt", State.OK, f"knows where to get {package}")


def _server(address: str) -> Check:
    """Check that a server of Debian packages answers, without a download."""
    subject = f"Debian packages from {address}"
    try:
        answer = requests.head(f"{address.rstrip('/')}/", timeout=_SECONDS, allow_redirects=True)
        answer.raise_for_status()
    except requests.HTTPError as error:
        return Check(subject, State.WARNING, str(error), _SERVER_REMEDY)
    except requests.RequestException:
        return Check(subject, State.WARNING, "not reached", _SERVER_REMEDY)
    return Check(subject, State.OK, "the server answers")


def _registry() -> Check:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--timeout", "10"]
    fault = _fault([*command, "--retries", "0", "index", "versions", "pip"])
    if fault:
        remedy = "see pip config list; needed for make setup and make test only"
        return Check("Python packages", State.WARNING, f"not reached: {fault}", remedy)
    return Check("Python packages", State.OK, "the registry that pip uses answers")


def _package(config: Mapping[str, Any]) -> str:
    """A package of the experiment's corpus; one that every Debian has, where it has none."""
    try:
        packages: dict[str, str] = config["corpora"][config["corpus"]]["packages"]
    except (KeyError, TypeError):
        return "base-files"
    return next(iter(packages.values()))


def _servers(config: Mapping[str, Any]) -> list[str]:
    """The servers of Debian packages that the configuration names."""
    try:
        debian = config["download"]["debian"]
        snapshot = debian.get("snapshot")
        return [*(debian.get("mirrors") or ()), *([snapshot] if snapshot else [])]
    except (KeyError, TypeError, AttributeError):
        return []


def _fault(command: Sequence[str]) -> str:
    """The fault of a program, in one line; empty if it ended well."""
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"no answer in {_SECONDS} s"
    except OSError as error:
        return str(error.strerror)
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    return "" if result.returncode == 0 else (lines or [f"status {result.returncode}"])[-1]
