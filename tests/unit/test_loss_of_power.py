"""A short part of the losses of power of `make acceptance-faults`: writers of files, training."""

import json
import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path

from tests.lost_power import noting_syncs

ROOT = Path(__file__).parents[2]


def test_whole_files_and_the_checkpoint_before_are_left(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    variables = {**noting_syncs(tmp_path, tmp_path / "syncs"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.unit.losses_of_power"],
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((folder / "found.json").read_text())
    states = [state for state, _ in groupby(found["atomic"])]
    assert states == [["old", "old"], ["new", "old"], ["new", "new"]]
    # What is written without care is not on the disk, even at the end.
    assert found["plain"][-1] == ["damaged", "damaged"]
    assert found["training"]["lost"]
    assert found["training"]["found"] == ["checkpoint.previous.safetensors"]
    assert "resuming after 1 epochs" in done.stderr
    assert found["training"]["statuses"] == [0, 0]
    assert found["training"]["same"]
