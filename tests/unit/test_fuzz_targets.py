"""The fuzz targets compile, so that a change of an interface is noticed without `make fuzz`."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
TARGETS = sorted((ROOT / "tests/fuzz/targets").glob("*.cpp"))
KENLM = ROOT / ".tools/kenlm/include"
INCLUDED = [ROOT / "cpp", ROOT / "cpp/base", ROOT / "cpp/neural", KENLM / "kenlm", KENLM]


def test_fuzz_targets_compile(tmp_path: Path) -> None:
    """Compile them all at once, as their headers take the time."""
    name, every = "LLVMFuzzerTestOneInput", tmp_path / "every.cpp"
    parts = (f'#define {name} of_{one.stem}\n#include "{one}"\n#undef {name}\n' for one in TARGETS)
    every.write_text("".join(parts))
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-fsyntax-only"]
    command += ["-DKENLM_MAX_ORDER=6", *(f"-I{folder}" for folder in INCLUDED), str(every)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
