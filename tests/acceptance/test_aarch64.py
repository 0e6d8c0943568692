"""The artefacts of the workflow on aarch64 are those of x86-64 (`make acceptance-aarch64`)."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from nlmt.io.json_files import read_json
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
    # Sums of another order: weights and the variances of scores differ in their last bit.
    for name in differences(ours, theirs):
        assert name.endswith("/weights.json") or "/eval/" in name, name
        values = [_values(read_json(folder / name)) for folder in (ours, theirs)]
        for expected, found in zip(*values, strict=True):
            close = pytest.approx(expected, rel=1e-13) if type(expected) is float else expected
            assert found == close, name


def _values(content: object) -> Iterator[object]:
    """The values of a JSON document, each after its key."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield key
            yield from _values(value)
    elif isinstance(content, list):
        for value in content:
            yield from _values(value)
    else:
        yield content
