"""The notebooks of the documentation run, on the results of the tiny workflow."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(notebook: Path, finished: Path, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results/help").symlink_to(finished / "results/tiny")
    output = tmp_path / notebook.name
    done = subprocess.run(
        [sys.executable, ROOT / "tools/run_notebook.py", notebook, output, tmp_path],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    cells = json.loads(output.read_text(encoding="utf-8"))["cells"]
    shown = [one for cell in cells for one in cell.get("outputs", [])]
    assert any("text/html" in one.get("data", {}) for one in shown)
