"""The checks of `nlmt doctor`, each against a machine or project that we lay out."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from nlmt.cli import main
from nlmt.doctor import State, access, leftovers, machine, software
from nlmt.doctor.check import Check
from nlmt.io.locks import Owner


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results/logs").mkdir(parents=True)
    (tmp_path / "config").mkdir()
    for name in ("Snakefile", "config/corpora.yaml"):  # by which a project is known
        (tmp_path / name).write_text("{}\n")
    return tmp_path


def by_subject(checks: list[Check], subject: str) -> Check:
    return next(check for check in checks if check.subject == subject)


def test_nothing_left_behind(project: Path) -> None:
    assert {check.state for check in leftovers()} == {State.OK}


def test_what_a_killed_run_leaves_is_found(project: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    pid = process.pid  # of a process that has ended
    (project / ".snakemake/locks").mkdir(parents=True)
    (project / ".snakemake/locks/0.output.lock").touch()
    gone = replace(Owner.here(), pid=pid)
    for name, owner in (("gone", gone), ("alive", Owner.here())):
        place = project / f"results/logs/.{name}.lock"
        place.write_text(json.dumps(asdict(owner) | {"count": 0}))
    (project / f"results/.{pid}-0123abcd.model.bin").write_bytes(bytes(2_000_000))
    (project / f"results/.{os.getpid()}-0123abcd.other.bin").touch()
    found = list(leftovers())
    lock = by_subject(found, "Snakemake's lock")
    assert lock.state is State.FAULT
    assert "snakemake --unlock" in lock.remedy
    states = {check.found.split(":")[0]: check.state for check in found if check.subject == "lock"}
    assert states == {
        "results/logs/.gone.lock": State.WARNING,
        "results/logs/.alive.lock": State.OK,
    }
    files = by_subject(found, "half-written files")
    assert files.state is State.WARNING
    assert files.found == "1, 2.0 MB"
    assert files.remedy.endswith(f"results/.{pid}-0123abcd.model.bin")


def test_programs_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name, path=None: None)
    found = list(software())
    assert by_subject(found, "lmplz").state is State.FAULT
    assert "make setup" in by_subject(found, "lmplz").remedy
    assert by_subject(found, "moses").state is State.OK
    assert by_subject(found, "nlmt").state is State.OK


def test_a_lock_is_held_to_what_its_markers_choose(project: Path) -> None:
    pytest_version = pytest.__version__
    lines = [
        f"pytest=={pytest_version} ; python_full_version >= '3.11' \\\n    --hash=sha256:0\n",
        "pytest==1.0 ; python_full_version < '3.11' \\\n    --hash=sha256:0\n",
        "no-such-package==1.0\n",
    ]
    (project / "envs").mkdir()
    lock = project / "envs/requirements.lock"
    lock.write_text("".join(lines))
    (project / "envs/torch-cpu.lock").touch()
    assert by_subject(list(software()), "versions").state is State.OK
    lock.write_text("pytest==1.0\n")
    versions = by_subject(list(software()), "versions")
    assert versions.state is State.WARNING
    assert versions.found == f"not as locked: pytest {pytest_version} for 1.0"


def test_compilers_and_headers_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = by_subject(list(software()), "compilers")
    assert found.state is State.OK
    monkeypatch.setattr("sysconfig.get_path", lambda name: "/nowhere")
    found = by_subject(list(software()), "compilers")
    assert found.state is State.WARNING
    assert found.found.endswith("Python.h")
    assert "tools/system_packages.py" in found.remedy


def test_a_full_disk_is_a_warning(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        free = 10**6

    monkeypatch.setattr("shutil.disk_usage", lambda folder: Usage)
    disk = by_subject(list(machine()), "disk")
    assert disk.state is State.WARNING
    assert disk.remedy.startswith("free 5 GB")


@pytest.mark.parametrize(
    ("vectors", "state"),
    [("avx avx2 fma", State.OK), ("asimd", State.OK), ("sse4_2 avx", State.WARNING)],
)
def test_processors_that_the_code_is_compiled_for(
    project: Path, monkeypatch: pytest.MonkeyPatch, vectors: str, state: State
) -> None:
    (project / "cpuinfo").write_text(f"flags\t: {vectors}\n")
    monkeypatch.setattr("nlmt.provenance.environment._CPUINFO", project / "cpuinfo")
    assert by_subject(list(machine()), "processor").state is state


@pytest.mark.parametrize("fault", ["ImportError('no symbol')", "OSError('no library')"])
def test_a_gpu_without_torch(project: Path, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    (project / "torch.py").write_text(f"raise {fault}\n")
    monkeypatch.syspath_prepend(project)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    program = project / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 'NVIDIA H100, 81559 MiB'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{project}:{os.environ['PATH']}")
    found = by_subject(list(machine()), "GPU")
    assert found.state is State.WARNING
    assert found.found.startswith("NVIDIA H100, 81559 MiB, but torch cannot be loaded: no ")


def test_what_cannot_be_reached(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that fail as apt-get and pip do without a network."""
    (project / "bin").mkdir()
    program = project / "bin/apt-get"
    program.write_text("#!/bin/sh\necho 'E: Unable to locate package' >&2\nexit 100\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{project / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr(sys, "executable", str(program))
    found = list(access({}))
    assert [check.state for check in found] == [State.WARNING, State.WARNING]
    assert "does not know base-files: E: Unable to locate package" in found[0].found
    assert "pip config list" in found[1].remedy


@pytest.fixture
def server() -> Iterator[str]:
    """The address of a web server whose root answers."""
    with ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_servers_of_debian_packages_without_apt(
    project: Path, monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr(sys, "executable", "true")  # pip, which reaches its registry
    (check, _) = access({})
    assert (check.subject, check.state) == ("Debian packages", State.WARNING)
    assert "download.debian.mirrors" in check.remedy
    debian = {"mirrors": [f"{server}/debian"], "snapshot": server}
    (mirror, snapshot, _) = access({"download": {"debian": debian}})
    assert (mirror.subject, mirror.state) == (
        f"Debian packages from {server}/debian",
        State.WARNING,
    )
    assert "404" in mirror.found
    assert snapshot.state is State.OK
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"http://127.0.0.1:{closed.getsockname()[1]}/debian"
    (check, _) = access({"download": {"debian": {"mirrors": [address]}}})
    assert (check.state, check.found) == (State.WARNING, "not reached")


def test_the_command_prints_remedies(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = Check("disk", State.FAULT, "full", "free some")
    monkeypatch.setattr("nlmt.cli.doctor.checks", lambda config, network: [fault])
    assert main(["doctor", "--offline"]) == 1
    assert "fault    disk: full\n         -> free some\n1 faults" in capsys.readouterr().out


def test_the_command_takes_settings_of_the_user(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "config.yaml").write_text("download: {debian: {mirrors: [default]}}\n")
    (project / "mine.yaml").write_text("download: {debian: {mirrors: [mine]}}\n")
    found = []

    def checks(config: dict[str, Any], *, network: bool) -> list[Check]:
        found.append(config["download"]["debian"])
        return []

    monkeypatch.setattr("nlmt.cli.doctor.checks", checks)
    given = ["--configfile", "mine.yaml", "--config", "download={debian: {snapshot: later}}"]
    assert main(["doctor"]) == main(["doctor", *given]) == 0
    assert found == [{"mirrors": ["default"]}, {"mirrors": ["mine"], "snapshot": "later"}]
