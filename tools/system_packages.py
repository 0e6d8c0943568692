"""Name the system packages that are missing, and install them as root on Debian.

    python3 tools/system_packages.py                     what the set-up needs
    python3 tools/system_packages.py PACKAGE ...         packages of Debian, for one of the checks
    python3 tools/system_packages.py --list              the set-up's packages on this distribution

Runs before anything is installed, so it needs only a Python and its standard library. What the
set-up needs is tried out, not looked up, so that it may come from anywhere (conda, a compiler of
one's own); the distribution's names are for what is missing.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

OLDEST_PYTHON = (3, 11)
_VERSION = "{}.{}".format(*sys.version_info)

# Packages by the distribution, as ID or ID_LIKE of /etc/os-release names it.
PACKAGES = {
    "debian": {
        "compiler": ["build-essential"],
        "cmake": ["cmake"],
        "boost": ["libboost-dev", "libboost-program-options-dev", "libboost-thread-dev"],
        "zlib": ["zlib1g-dev"],
        "headers": [f"python{_VERSION}-dev"],
        "venv": [f"python{_VERSION}-venv"],
    },
    "fedora": {
        "compiler": ["gcc-c++"],
        "cmake": ["cmake"],
        "boost": ["boost-devel"],
        "zlib": ["zlib-devel"],
        "headers": ["python3-devel"],
        "venv": ["python3-libs"],
    },
    "arch": {
        "compiler": ["base-devel"],
        "cmake": ["cmake"],
        "boost": ["boost"],
        "zlib": ["zlib"],
        "headers": ["python"],
        "venv": ["python"],
    },
}
INSTALL = {
    "debian": "apt-get update && apt-get install --no-install-recommends",
    "fedora": "dnf install",
    "arch": "pacman -S --needed",
}
WHAT = {
    "compiler": "compilers of C and C++",
    "cmake": "CMake",
    "boost": "Boost (headers, program_options, thread)",
    "zlib": "zlib's headers",
    "headers": f"headers of Python {_VERSION}",
    "venv": f"venv and ensurepip of Python {_VERSION}",
}


def compiler(variable: str, usual: str) -> list[str]:
    """Return the words that start a compiler, as the environment (conda's, for one) names it."""
    return shlex.split(os.environ.get(variable, usual))


def compiles(source: str, *libraries: str) -> bool:
    """Return whether a C++ program compiles and links with libraries."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*compiler("CXX", "c++"), "-x", "c++", "-", "-o", str(Path(folder, "program"))]
        command += [f"-l{library}" for library in libraries]
        try:
            result = subprocess.run(command, input=source.encode(), capture_output=True)
            return result.returncode == 0
        except OSError:  # no compiler
            return False


def missing() -> list[str]:
    """Return the needs of the set-up that this machine does not meet, in the order of WHAT."""
    met = {
        "compiler": shutil.which(compiler("CC", "cc")[0]) is not None and compiles("int main() {}"),
        "cmake": shutil.which("cmake") is not None,
        "boost": compiles(
            "#include <boost/program_options.hpp>\n#include <boost/thread.hpp>\nint main() {}",
            "boost_program_options",
            "boost_thread",
        ),
        "zlib": compiles("#include <zlib.h>\nint main() { return !zlibVersion(); }", "z"),
        "headers": Path(sysconfig.get_path("include"), "Python.h").exists(),
        "venv": importlib.util.find_spec("ensurepip") is not None,
    }
    return [need for need in WHAT if not met[need]]


def distribution(release: str) -> str:
    """Return the key of PACKAGES for a text of /etc/os-release, or an empty string."""
    values = dict(re.findall(r'^(ID|ID_LIKE)="?([^"\n]*)"?$', release, re.MULTILINE))
    names = [values.get("ID", ""), *values.get("ID_LIKE", "").split()]
    return next((name for name in names if name in PACKAGES), "")


def packages(needs: Iterable[str], system: str, *, own_python: bool = False) -> list[str]:
    """Return the distribution's packages for needs, except for the user's own Python."""
    needs = [need for need in needs if not (own_python and need in ("headers", "venv"))]
    return list(dict.fromkeys(name for need in needs for name in PACKAGES[system][need]))


def advice(needs: Sequence[str], system: str, *, own_python: bool = False) -> str:
    """Return the message that names missing packages and how to install them."""
    lines = [f"the set-up needs what is missing here: {', '.join(WHAT[need] for need in needs)}"]
    if system:
        names = packages(needs, system, own_python=own_python)
        if names:
            lines.append(f"install it as root: {INSTALL[system]} {' '.join(names)}")
    else:
        lines.append(
            "install it with the packages of your distribution, or use envs/nlmt.yaml (conda)"
        )
    if own_python and {"headers", "venv"} & set(needs):
        lines.append(f"{sys.executable} lacks parts of itself: install a whole Python {_VERSION}")
    return "\n".join(lines)


def install(names: Sequence[str]) -> None:
    """Install packages of Debian, as root; end the program where that fails."""
    print("installing system packages:", *names, flush=True)
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    options = ["-y", "-qq", "--no-install-recommends"]
    for command in (["apt-get", "update", "-qq"], ["apt-get", "install", *options, *names]):
        result = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if result.returncode != 0:
            sys.exit(f"{result.stdout}{' '.join(command)} failed")


def installed(package: str) -> bool:
    """Return whether Debian's package is installed."""
    query = ["dpkg-query", "-W", "-f", "${Status}", package]
    result = subprocess.run(query, capture_output=True, text=True)
    return result.stdout == "install ok installed"


def main(arguments: Sequence[str]) -> int:
    """See to the packages; the exit status."""
    if sys.version_info < OLDEST_PYTHON:
        oldest = "{}.{}".format(*OLDEST_PYTHON)
        sys.exit(
            f"{sys.executable} is Python {platform.python_version()}, and nlmt needs {oldest} or "
            f"later: install that, then run make PYTHON=python{oldest} ..."
        )
    try:
        system = distribution(Path("/etc/os-release").read_text(encoding="utf-8"))
    except OSError:
        system = ""
    if arguments == ["--list"]:
        print(*packages(WHAT, system) if system else "")
        return 0
    root = system == "debian" and os.geteuid() == 0
    if arguments:
        if shutil.which("dpkg-query") is None:
            sys.exit(f"this needs Debian's packages {' '.join(arguments)}, or what is in them")
        names = [name for name in arguments if not installed(name)]
        if names and not root:
            sys.exit(
                f"missing packages; install them as root: {INSTALL['debian']} {' '.join(names)}"
            )
        if names:
            install(names)
        return 0
    own_python = sys.base_prefix != "/usr"
    needs = missing()
    if root and (names := packages(needs, system, own_python=own_python)):
        install(names)
        needs = missing()
    if needs:
        sys.exit(advice(needs, system, own_python=own_python))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
