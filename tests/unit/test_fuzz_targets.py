"""The fuzz targets compile, so that a change of an interface is noticed without `make fuzz`.

With clang also: what an input may take of memory.
"""

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


# Allocates blocks of 64 MB: so many as the first byte says, one after the other or, if the input
# is longer, at once.
ALLOCATING = """\
#include <cstdint>
#include <string>
#include <vector>
extern "C" int run_one_input(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> blocks;
  for (int i = 0; size && i < data[0]; ++i) {
    if (size == 1) blocks.clear();
    blocks.emplace_back(64 << 20, char(i));
  }
  return 0;
}
"""


@pytest.mark.skipif(not CLANG, reason="`make fuzz` installs clang")
def test_an_input_may_take_256_mb_and_100_times_its_size(tmp_path: Path) -> None:
    (tmp_path / "target.cpp").write_text(ALLOCATING)
    command = [
        str(CLANG),
        "-std=c++17",
        "-fsanitize=fuzzer,address",
        "-o",
        str(tmp_path / "target"),
    ]
    command += [str(tmp_path / "target.cpp"), str(FUZZ / "limits.cpp")]
    subprocess.run(command, check=True)
    found = {}
    for name, content in {
        "one by one": b"\x05",
        "3 at once": b"\x03 ",
        "5 at once": b"\x05 ",
        "5 at once, long": b"\x05" + b" " * (700_000),
    }.items():
        (tmp_path / name).write_bytes(content)
        arguments = [tmp_path / "target", "-rss_limit_mb=1024", tmp_path / name]
        done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, check=False)
        found[name] = "bytes allocated at once" in done.stderr
        assert bool(done.returncode) == found[name], done.stderr[-2000:]
    assert found == {
        "one by one": False, "3 at once": False, "5 at once": True, "5 at once, long": False
    }  # fmt: skip
