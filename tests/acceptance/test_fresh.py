"""The README's commands, word for word, on a Debian that has nothing: `make acceptance-fresh`.

Each part installs only what the README names before its commands, and has no package cache, wheel
folder or configuration of this machine; what is tried is the last commit. One part alone:

    pytest -rP tests/acceptance/test_fresh.py -k "bookworm and root"

Needs root, debootstrap and the package registries.
"""

import hashlib
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chroot import USER, Chroot, reason_against

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RELEASES = {"bookworm": "Debian 12", "trixie": "Debian 13"}

REASON = reason_against()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)


def named_packages() -> str:
    """Return the packages that the README names before its commands."""
    (line,) = re.findall(r"^apt-get install (.+?) +#", README, re.MULTILINE)
    return str(line)


def expected_hash(release: str) -> str:
    """Return the beginning of the SHA-256 of results.txt that the README states."""
    (digits,) = re.findall(rf"^\| {RELEASES[release]},.*\| `([0-9a-f]+)` \|$", README, re.MULTILINE)
    return str(digits)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Chroot]]:
    """Each release as it is made for the first part that asks for it, and copied for the others."""
    made: dict[str, Chroot] = {}
    yield made
    for system in made.values():
        system.remove()


@pytest.fixture(params=RELEASES)
def system(
    request: pytest.FixtureRequest, bare: dict[str, Chroot], tmp_path: Path
) -> Iterator[Chroot]:
    """A release with what the README names."""
    release = request.param
    if release not in bare:
        folder = tmp_path.parent / release
        bare[release] = Chroot.make(release, folder)
        bare[release].run(
            "apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes "
            f"--no-install-recommends {named_packages()}"
        )
    copy = bare[release].copy(tmp_path / release)
    yield copy
    copy.remove()


@pytest.mark.parametrize("user", ["root", USER])
def test_the_commands_of_the_readme(system: Chroot, user: str) -> None:
    release = system.folder.name
    clone = system.check_out(ROOT, user=user)
    if user != "root":
        refused = system.run("cd nlmt && make demo", user=user, check=False)
        assert refused.returncode != 0
        (command,) = re.findall(r"install it as root: (.+)", refused.stdout)
        system.run(command.replace("install ", "install --yes "))
    times = {}
    for target in ("demo", "test"):
        begin = time.monotonic()
        output = system.run(f"cd nlmt && make {target}", user=user).stdout
        times[target] = time.monotonic() - begin
        if target == "demo":
            print(
                "\n".join(line for line in output.splitlines() if "set-up" in line or "GB" in line)
            )
            results = (clone / "results/help/fr-en/report/results.txt").read_bytes()
            print(results.decode())
            digest = hashlib.sha256(results).hexdigest()
            disk = {part: megabytes(clone / part) for part in (".venv", "results", "data")}
        else:
            print("\n".join(re.findall(r".*\d+ passed.*", output)))
    print(f"{RELEASES[release]}, {user}: {digest}")
    print("seconds:", {name: round(seconds) for name, seconds in times.items()})
    print("MB:", disk | {"whole system": megabytes(system.folder)})
    assert digest.startswith(expected_hash(release))


def megabytes(folder: Path) -> int:
    """Return how much disk a folder takes."""
    listed = subprocess.run(["du", "-smx", folder], capture_output=True, text=True, check=True)
    return int(listed.stdout.split()[0])
