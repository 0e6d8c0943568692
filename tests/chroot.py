"""A minimal Debian in a folder, to try what the project does on a machine that has nothing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

USER = "tester"
# Variables that name certificate authorities: no other setting of this machine counts.
CERTIFICATES = ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_ENTER = """\
set -e
mount --rbind /dev "$1/dev"
mount -t proc proc "$1/proc"
mount -t sysfs -o ro sysfs "$1/sys"
exec chroot --userspec="$2" "$1" sh -c "cd; $3"
"""


def reason_against() -> str:
    """Return why no such Debian can be made here, or an empty string."""
    if os.geteuid() != 0:
        return "needs root"
    if shutil.which("debootstrap") is None:
        return "needs debootstrap"
    trial = ["unshare", "--mount", "--pid", "--fork", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    if subprocess.run(trial, capture_output=True).returncode != 0:
        return "needs the right to mount"
    return ""


class Chroot:
    """Debian's required packages and apt, with an ordinary user.

    Args:
        folder: the root of the system, which exists.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def make(cls, release: str, folder: Path) -> "Chroot":
        """Install a release of Debian, as debootstrap's variant minbase, into a new folder."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        command = ["debootstrap", "--variant=minbase", release, str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        # Packages are not written to the disk one by one: the folder is removed after a test.
        (folder / "etc/dpkg/dpkg.cfg.d/unsafe-io").write_text("force-unsafe-io\n")
        made = cls(folder)
        made.run(f"useradd --create-home --shell /bin/bash {USER}")
        for name in ("resolv.conf", "hosts"):
            shutil.copy(Path("/etc", name), folder / "etc" / name)
        if authorities := _authorities():
            shutil.copy(authorities, folder / "etc/authorities.pem")
        return made

    def copy(self, folder: Path) -> "Chroot":
        """Return a copy in a new folder."""
        subprocess.run(["cp", "-a", "--reflink=auto", self.folder, folder], check=True)
        return Chroot(folder)

    def run(
        self, command: str, *, user: str = "root", check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run a shell's command in the home of `user`; its output, standard error included."""
        home = "/root" if user == "root" else f"/home/{user}"
        variables = {"PATH": _PATH, "HOME": home, "LANG": "C.UTF-8", "TERM": "dumb"}
        if (self.folder / "etc/authorities.pem").exists():
            variables |= dict.fromkeys(CERTIFICATES, "/etc/authorities.pem")
        unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", _ENTER, "-"]
        result = subprocess.run(
            [*unshare, str(self.folder), user, command],
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        if check and result.returncode != 0:
            sys.stdout.write(result.stdout[-20_000:])
            raise AssertionError(f"status {result.returncode} of: {command}")
        return result

    def check_out(self, repository: Path, *, user: str = "root") -> Path:
        """Clone a repository into the home of `user`; return its path on this machine."""
        home = self.folder / ("root" if user == "root" else f"home/{user}")
        clone = home / "nlmt"
        subprocess.run(["git", "clone", "--quiet", str(repository), str(clone)], check=True)
        if user != "root":
            self.run(f"chown -R {user}: /home/{user}/nlmt")
        return clone

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder)


def _authorities() -> str:
    """Return this machine's file of certificate authorities, where a variable names one."""
    return next((os.environ[name] for name in CERTIFICATES if name in os.environ), "")
