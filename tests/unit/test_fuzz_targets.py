"""The fuzz targets compile, so that a change of an interface is noticed without `make fuzz`."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TARGETS = sorted((ROOT / "tests/fuzz/targets").glob("*.cpp"))
KENLM = ROOT / ".tools/kenlm/include"
INCLUDED = [ROOT / "cpp", ROOT / "cpp/base", ROOT / "cpp/neural", KENLM / "kenlm", KENLM]


@pytest.mark.parametrize("target", TARGETS, ids=lambda path: path.stem)
def test_fuzz_target_compiles(target: Path) -> None:
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-fsyntax-only"]
    command += ["-DKENLM_MAX_ORDER=6", *(f"-I{folder}" for folder in INCLUDED), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
