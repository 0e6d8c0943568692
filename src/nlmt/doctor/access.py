"""What must be reached over the network: Debian packages, the registry of Python packages.

No address is known here: apt and pip are asked, as they are configured.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from nlmt.doctor.check import Check, State
from nlmt.project import project_folder

_SECONDS = 30
_APT_REMEDY = "apt-get update, as root; without network: data/README.md"


def access() -> Iterator[Check]:
    """Yield the checks of the network."""
    if shutil.which("apt-get") is not None:
        yield _apt(_package(project_folder()))
    yield _registry()


def _apt(package: str) -> Check:
    """Apt knows where a package is to be had; the package is not fetched."""
    fault = _fault(["apt-get", "-q", "--print-uris", "download", package])
    if fault:
        return Check("apt", State.WARNING, f"does not know {package}: {fault}", _APT_REMEDY)
    return Check("apt", State.OK, f"knows where to get {package}")


def _registry() -> Check:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--timeout", "10"]
    fault = _fault([*command, "--retries", "0", "index", "versions", "pip"])
    if fault:
        remedy = "see pip config list; needed for make setup and make test only"
        return Check("Python packages", State.WARNING, f"not reached: {fault}", remedy)
    return Check("Python packages", State.OK, "the registry that pip uses answers")


def _package(project: Path) -> str:
    """A package of the experiment's corpus; one that every Debian has, where it has none."""
    files = (project / "config.yaml", project / "config/corpora.yaml")
    try:
        config, catalogue = (yaml.safe_load(file.read_text(encoding="utf-8")) for file in files)
        packages: dict[str, str] = catalogue["corpora"][config["corpus"]]["packages"]
    except (OSError, KeyError, TypeError, yaml.YAMLError):
        return "base-files"
    return next(iter(packages.values()))


def _fault(command: Sequence[str]) -> str:
    """What went wrong with a program, on one line; nothing where it ended well."""
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
