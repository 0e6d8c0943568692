"""The profile for Kubernetes with a kubectl that runs the jobs here: the bytes of a local run."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from tests.workflow.conftest import (
    PAIR,
    ROOT,
    differences,
    go_on,
    half_written,
    halting_at,
    make_project,
    run_snakemake,
)

CHECKPOINT = f"{PAIR}/lm/nce/run1/checkpoint/checkpoint.safetensors"
FAKE = Path(__file__).with_name("fake_kubectl.py")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the fake cluster keeps its jobs; its kubectl is the first in PATH."""
    programs, state = tmp_path / "bin", tmp_path / "state"
    programs.mkdir()
    state.mkdir()
    kubectl = programs / "kubectl"
    kubectl.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE} "$@"\n')
    kubectl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_KUBERNETES", str(state))
    return state


def command(folder: Path) -> list[str]:
    """Snakemake with the project's profile, from another folder and with two jobs at once."""
    settings = yaml.safe_load((ROOT / "profiles/kubernetes/profile.yaml").read_text())
    for key in ("submit", "status", "cancel"):
        words = settings[f"cluster-generic-{key}-cmd"]
        for name in (".venv/bin/python", "tools/kubernetes_jobs.py"):
            assert name in words
            words = words.replace(name, str(ROOT / name))
        settings[f"cluster-generic-{key}-cmd"] = words
    settings |= {"jobs": 2, "latency-wait": 10, "max-status-checks-per-second": 20}
    place = folder / "profile"
    place.mkdir()
    (place / "profile.yaml").write_text(yaml.safe_dump(settings))
    snakemake = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    return [*snakemake, "--configfile", "tiny.yaml", "--workflow-profile", str(place), "reports"]


def test_the_workflow_and_a_deleted_job(state: Path, tmp_path: Path) -> None:
    finished, folder = tmp_path / "finished", tmp_path / "project"
    for place in (finished, folder):
        place.mkdir()
        make_project(place)
    result = run_snakemake(finished, "reports")
    assert result.returncode == 0, result.stdout + result.stderr
    environment = os.environ | halting_at(folder, CHECKPOINT)
    with (folder / "snakemake.out").open("w") as out:
        process = subprocess.Popen(
            command(folder), cwd=folder, env=environment, stdout=out, stderr=out
        )
    while not (folder / CHECKPOINT).exists():
        assert process.poll() is None, (folder / "snakemake.out").read_text()
        time.sleep(0.1)
    jobs = list(state.glob("nlmt-train-neural-lm-*.group"))
    subprocess.run(["kubectl", "delete", "job", jobs[0].stem, "--namespace", "default"], check=True)
    go_on(folder, CHECKPOINT)
    assert process.wait(1800) == 0, (folder / "snakemake.out").read_text()
    assert differences(finished, folder) == []
    assert half_written(folder) == []
    again = list(state.glob("nlmt-train-neural-lm-*.json"))
    assert [path for path in again if path.stem != jobs[0].stem]
    for path in state.glob("*.json"):
        pod = json.loads(path.read_text())["spec"]["template"]["spec"]
        assert pod["volumes"][0]["persistentVolumeClaim"]["claimName"] == "nlmt"
