"""Messages of the set-up about missing packages, by the distribution at hand."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools import system_packages
from tools.system_packages import advice, distribution, packages

ROOT = Path(__file__).parents[2]
RELEASES = {
    'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nVERSION_ID="13"\nID=debian\n': "debian",
    "NAME=Ubuntu\nID=ubuntu\nID_LIKE=debian\n": "debian",
    'ID=linuxmint\nID_LIKE="ubuntu debian"\n': "debian",
    "ID=fedora\nVARIANT_ID=container\n": "fedora",
    'ID="rocky"\nID_LIKE="rhel centos fedora"\n': "fedora",
    "ID=arch\n": "arch",
    "ID=manjaro\nID_LIKE=arch\n": "arch",
    "ID=nixos\n": "",
}


@pytest.mark.parametrize(("release", "system"), RELEASES.items())
def test_the_distribution_is_that_of_the_nearest_name(release: str, system: str) -> None:
    assert distribution(release) == system


@pytest.mark.parametrize("system", system_packages.PACKAGES)
def test_every_need_has_packages_everywhere(system: str) -> None:
    assert system_packages.PACKAGES[system].keys() == system_packages.WHAT.keys()
    assert system in system_packages.INSTALL
    assert len(packages(system_packages.WHAT, system)) > 4


def test_the_message_names_what_root_installs() -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert advice(["headers", "zlib"], "debian").splitlines() == [
        f"the set-up needs what is missing here: headers of Python {version}, zlib's headers",
        "install it as root: apt-get update && apt-get install --no-install-recommends "
        f"python{version}-dev zlib1g-dev",
    ]
    assert "dnf install python3-devel" in advice(["headers"], "fedora")
    assert advice(["headers", "venv"], "arch").endswith("pacman -S --needed python")
    assert "envs/nlmt.yaml" in advice(["cmake"], "")


def test_no_package_brings_the_headers_of_a_python_of_ones_own() -> None:
    text = advice(["headers", "cmake"], "debian", own_python=True)
    assert "apt-get install --no-install-recommends cmake\n" in text
    assert "-dev" not in text
    assert f"{sys.executable} lacks parts of itself" in text


def test_what_is_missing_is_found_by_trying(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no program in reach but a compiler that finds no header of Boost."""
    compiler = tmp_path / "c++"
    compiler.write_text("#!/bin/sh\nif /bin/grep -q boost; then exit 1; fi\n")
    compiler.chmod(0o755)
    (tmp_path / "cc").symlink_to(compiler)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert system_packages.missing() == ["cmake", "boost"]
    compiler.unlink()
    assert system_packages.missing() == ["compiler", "cmake", "boost", "zlib"]


def test_it_needs_nothing_but_the_standard_library() -> None:
    program = [sys.executable, "-I", "-S", "tools/system_packages.py", "--list"]
    result = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "Traceback" not in result.stderr
