"""The artefacts of the workflow on aarch64 are those of x86-64 (`make acceptance-aarch64`)."""

import subprocess
from pathlib import Path

import pytest

from nlmt.io.weights import read_weights
from tests.workflow.conftest import ROOT, differences, make_project, snakemake_command


def run_workflow(folder: Path, *prefix: str) -> Path:
    """Run the tiny workflow in a new folder, by the Python of this machine or by `prefix`."""
    folder.mkdir()
    command = snakemake_command(make_project(folder), "reports")
    result = subprocess.run([*(prefix or command[:1]), *command[1:]], cwd=folder, check=False)
    assert result.returncode == 0
    return folder


def test_artefacts_are_those_of_x86_64(tmp_path: Path) -> None:
    ours = run_workflow(tmp_path / "x86_64")
    theirs = run_workflow(tmp_path / "aarch64", str(ROOT / "tools/run_aarch64.sh"), "python3")
    differ = differences(ours, theirs)
    assert [name for name in differ if not name.endswith("/weights.json")] == []
    for name in differ:
        expected, found = (read_weights(folder / name) for folder in (ours, theirs))
        assert found.keys() == expected.keys()
        for label, weights in expected.items():
            assert found[label] == pytest.approx(weights, rel=1e-13)
