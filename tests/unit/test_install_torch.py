"""Which build of torch the set-up installs, with an installer that says what it was asked."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tools import install_torch

NO_ANSWER = "error: Failed to fetch\n  Caused by: dns error\n"


class Installer:
    """Stands in for uv: answers where the arguments hold one of `reachable`."""

    def __init__(self, *reachable: str) -> None:
        self.asked: list[Sequence[str]] = []
        self._reachable = reachable

    def run_uv(
        self, arguments: Sequence[str], *, capture: bool = False
    ) -> subprocess.CompletedProcess[str]:
        self.asked.append(arguments)
        status = 0 if any(word in self._reachable for word in arguments) else 1
        return subprocess.CompletedProcess(arguments, status, "", NO_ANSWER)

    def install(self, arguments: Sequence[str]) -> int:
        return self.run_uv(arguments).returncode


def install(
    monkeypatch: pytest.MonkeyPatch, *reachable: str, wanted: str = "auto", gpu: bool = False
) -> Installer:
    """Install into an environment without torch."""
    installer = Installer(*reachable)
    monkeypatch.setattr(install_torch, "run_uv", installer.run_uv)
    monkeypatch.setattr(install_torch, "install", installer.install)
    monkeypatch.setattr(install_torch, "installed", lambda: "")
    monkeypatch.setattr(install_torch, "has_gpu", lambda: gpu)
    assert install_torch.main(wanted) == 0
    assert all("--require-hashes" in arguments for arguments in installer.asked)
    return installer


def test_without_a_gpu_it_is_the_cpu_build(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = install(monkeypatch, "--torch-backend").asked
    assert [str(install_torch.CPU) in arguments for arguments in asked] == [True, True]
    assert capsys.readouterr().out == "torch for cpu: 0.2 GB to download, 0.7 GB on disk\n"


def test_where_pip_has_a_cpu_build_no_other_index_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    (arguments,) = install(monkeypatch, str(install_torch.CPU)).asked
    assert "--torch-backend" not in arguments


def test_without_the_index_it_is_the_build_for_cuda(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = install(monkeypatch, str(install_torch.CUDA)).asked
    assert len(asked) == 3
    lines = capsys.readouterr().out.splitlines()
    assert "(Caused by: dns error)" in lines[1]
    assert lines[-1] == "torch for cuda: 2.7 GB to download, 4.5 GB on disk"


def test_a_file_that_is_not_the_locked_one_ends_the_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.NO_ANSWER", "error: Hash mismatch for `torch==2.13.0+cpu`\n")
    with pytest.raises(SystemExit, match="Hash mismatch"):
        install(monkeypatch)


@pytest.mark.parametrize(("wanted", "gpu"), [("auto", True), ("cuda", False)])
def test_with_a_gpu_or_when_asked_it_is_the_build_for_cuda(
    wanted: str, gpu: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (arguments,) = install(monkeypatch, str(install_torch.CUDA), wanted=wanted, gpu=gpu).asked
    assert str(install_torch.CUDA) in arguments


def test_too_little_disk_is_said_before_the_download(monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        free = 10**8

    monkeypatch.setattr("shutil.disk_usage", lambda folder: Usage)
    with pytest.raises(SystemExit, match=r"0[.]1 GB free, and torch takes 4[.]5 GB"):
        install_torch.announce(install_torch.CUDA)


def test_the_installed_build_is_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builds = {"2.13.0+cpu": "cpu", "2.13.0": "cuda", "2.13.0+cu130": "cuda", "2.12.0+cpu": ""}
    lock = tmp_path / "torch.lock"
    lock.write_text("sympy==1.14.0\ntorch==2.13.0 \\\n    --hash=sha256:0\n")
    monkeypatch.setattr(install_torch, "CUDA", lock)
    for version, build in builds.items():
        monkeypatch.setattr(install_torch, "version", lambda name, version=version: version)
        assert install_torch.installed() == build, version
