"""The fuzz targets compile, so that a change of an interface is noticed without `make fuzz`."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FUZZ = ROOT / "tests/fuzz"
TARGETS = sorted((FUZZ / "targets").glob("*.cpp"))
READERS = [
    ROOT / "cpp" / name
    for name in re.findall(r"\$\{cpp\}/(\S+\.cpp)", (FUZZ / "CMakeLists.txt").read_text())
]
KENLM = ROOT / ".tools/kenlm/include"
INCLUDED = [ROOT / "cpp", ROOT / "cpp/base", ROOT / "cpp/neural", KENLM / "kenlm", KENLM]
# `make fuzz` takes clang, which refuses some of what gcc accepts. gcc has compiled the readers.
CLANG = shutil.which("clang++")


@pytest.mark.parametrize(
    "source",
    [*TARGETS, *READERS] if CLANG else TARGETS,
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_a_source_of_the_fuzz_targets_compiles(source: Path) -> None:
    command = [CLANG or os.environ.get("CXX", "c++"), "-std=c++17", "-fsyntax-only"]
    command += ["-DKENLM_MAX_ORDER=6", *(f"-I{folder}" for folder in INCLUDED), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
