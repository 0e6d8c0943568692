"""Install Python packages with uv, or with pip where uv fails, into the running Python or PYTHON.

    python tools/install_packages.py [--python PYTHON] OPTION_OF_PIP_INSTALL ...

uv takes seconds where pip takes minutes, but does not read pip's configuration: the indexes and
folders that pip would ask are given to it as options. Nothing comes from a cache, which may have
packages that were compiled for one processor.
"""

import argparse
import ast
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence

# Options of uv by pip's keys; those of several values have them apart by white space.
OPTIONS = {
    "index-url": "--default-index",
    "extra-index-url": "--index",
    "find-links": "--find-links",
    "trusted-host": "--allow-insecure-host",
}
_PIP = (sys.executable, "-m", "pip")
VARIABLES = {"cert": "SSL_CERT_FILE", "proxy": "ALL_PROXY", "default-timeout": "UV_HTTP_TIMEOUT"}


def pip_settings(listing: str) -> dict[str, str]:
    """The settings of pip for installations, by key, from `pip config list`."""
    sections: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for line in listing.splitlines():
        name, _, value = line.partition("=")
        section, _, key = name.rpartition(".")
        if section in sections:
            sections[section][key] = ast.literal_eval(value)
    return {key: value for section in sections.values() for key, value in section.items()}


def uv_options(settings: Mapping[str, str]) -> Iterator[str]:
    """Yield options with which uv uses pip's indexes, all with equal rank."""
    yield from ("--index-strategy", "unsafe-best-match")
    for key, option in OPTIONS.items():
        for value in settings.get(key, "").split():
            yield from (option, value)


def run_uv(
    arguments: Sequence[str], *, python: str = sys.executable, capture: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run `uv pip install` as pip is configured; its output is captured or shown."""
    listed = subprocess.run([*_PIP, "config", "list"], capture_output=True, text=True, check=True)
    settings = pip_settings(listed.stdout)
    variables = {name: settings[key] for key, name in VARIABLES.items() if key in settings}
    uv = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-cache"]
    uv += ["--python", python, *uv_options(settings), *arguments]
    return subprocess.run(uv, env=variables | os.environ, capture_output=capture, text=True)


def install(arguments: Sequence[str], *, python: str = sys.executable) -> int:
    """Install packages with uv, else with pip, into a Python; the exit status."""
    if run_uv(arguments, python=python).returncode == 0:
        return 0
    print("uv failed: pip installs the packages, which takes some minutes", file=sys.stderr)
    pip = [*_PIP, "--python", python, "install", "--quiet", "--no-cache-dir", *arguments]
    return subprocess.run(pip).returncode


def main(arguments: Sequence[str]) -> int:
    """Install the packages that pip's options name, with `--python` elsewhere; the exit status."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--python", default=sys.executable)
    given, options = parser.parse_known_args(arguments)
    return install(options, python=given.python)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
