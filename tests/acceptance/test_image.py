"""The container image, built by podman, and the demo in it as an ordinary user.

`make acceptance-image`; needs root, debootstrap and podman. The base image, which would come from
a registry of images, is made by debootstrap.
"""

import hashlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.test_fresh import expected_hash
from tests.chroot import CERTIFICATES, Chroot, reason_against

ROOT = Path(__file__).parents[2]
BASE = "docker.io/library/debian:12-slim"
USER = 1234
# Of this machine, which may be a container itself: no network, groups or limits of its own.
SETTINGS = """\
[containers]
netns = "host"
cgroups = "disabled"
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
"""
# crun takes no mixture of both versions of control groups.
ONE_HIERARCHY = """\
umount -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup
exec "$@"
"""

REASON = reason_against()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)


def podman(*arguments: str, variables: dict[str, str], **options: object) -> str:
    """Run podman where it sees one hierarchy of control groups; its output."""
    command = ["unshare", "--mount", "sh", "-c", ONE_HIERARCHY, "-", "podman", *arguments]
    result = subprocess.run(
        command, env=variables, check=True, stdout=subprocess.PIPE, text=True, **options
    )  # type: ignore[call-overload]
    return str(result.stdout)


@pytest.fixture(scope="module")
def variables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of podman, with the base image in its store."""
    folder = tmp_path_factory.mktemp("podman")
    (folder / "containers.conf").write_text(SETTINGS)
    variables = os.environ | {
        "CONTAINERS_CONF": str(folder / "containers.conf"),
        "BUILDAH_ISOLATION": "chroot",
    }
    system = Chroot.make("bookworm", folder / "bookworm")
    changes = []
    if (system.folder / "etc/authorities.pem").exists():
        for name in CERTIFICATES:
            changes += ["--change", f"ENV={name}=/etc/authorities.pem"]
    tar = subprocess.Popen(["tar", "-C", system.folder, "-cf", "-", "."], stdout=subprocess.PIPE)
    podman("import", *changes, "-", BASE, variables=variables, stdin=tar.stdout)
    assert tar.wait() == 0
    system.remove()
    yield variables
    podman("image", "rm", "--force", "nlmt", BASE, variables=variables)


def test_the_image_is_built_and_runs_the_demo(variables: dict[str, str], tmp_path: Path) -> None:
    subprocess.run(["make", "image", "DOCKER=podman"], cwd=ROOT, env=variables, check=True)
    tmp_path.chmod(0o777)
    run = ["run", "--rm", "--user", f"{USER}:{USER}", "--volume", f"{tmp_path}:/work", "nlmt"]
    podman(*run, variables=variables)
    results = tmp_path / "results/help/fr-en/report/results.txt"
    assert results.stat().st_uid == USER
    digest = hashlib.sha256(results.read_bytes()).hexdigest()
    print(digest, podman("image", "ls", variables=variables), sep="\n")
    assert digest.startswith(expected_hash("bookworm"))
    doctor = podman(*run, "nlmt", "doctor", "--offline", variables=variables)
    assert "0 faults" in doctor
