"""Branches that run in one reader, counted and judged as by `make coverage`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
#include <iostream>
#include "symmetrisation.h"
using namespace nlmt::alignment;
int main() {
  std::string forward, reverse;
  while (std::getline(std::cin, forward) && std::getline(std::cin, reverse)) {
    for (Method method : {Method::kIntersection, Method::kUnion, Method::kGrowDiagFinalAnd}) try {
      std::cout << format_links(symmetrise(parse_links(forward), parse_links(reverse), method));
      std::cout << std::endl;
    } catch (const std::invalid_argument& error) {
      std::cout << "not " << error.what() << std::endl;
    }
  }
}
"""
# From test_alignment_symmetrisation.py: of both directions, and the results of the three methods.
GOOD = ["0-0 1-1 1-2 4-4 4-5", "0-0 2-2 6-5"]
METHODS = ["0-0", "0-0 1-1 1-2 2-2 4-4 4-5 6-5", "0-0 1-1 1-2 2-2 4-4 6-5"]
BAD = ["0", "a-0", "0-a", "70000-0"]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that symmetrises alignments, with counters."""
    folder = tmp_path_factory.mktemp("coverage")
    (folder / "main.cpp").write_text(PROGRAM)
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-O0", "--coverage"]
    command += [f"-I{ROOT}/cpp/{name}" for name in ("alignment", "base")]
    command += ["-o", "program", "main.cpp", str(ROOT / "cpp/alignment/symmetrisation.cpp")]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "program"


@pytest.mark.parametrize(
    ("lines", "printed", "missed"),
    [
        (["0-0", "0-0"], ["0-0"] * 3, True),
        (
            [*GOOD, *(line for bad in BAD for line in (bad, ""))],
            [*METHODS, *(f"not {bad}" for bad in BAD for _ in METHODS)],
            False,
        ),
    ],
    ids=["one link", "good and bad links"],
)
def test_the_goal_is_missed_or_reached(
    program: Path, lines: list[str], printed: list[str], missed: bool
) -> None:
    for counts in program.parent.glob("*.gcda"):
        counts.unlink()
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == printed
    command = [Path(sys.executable).with_name("gcovr"), "--config", "cpp/gcovr.cfg", program.parent]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "alignment/symmetrisation.cpp" in done.stdout
    assert ("minimum branch coverage" in done.stderr) == missed, done.stderr
    assert (done.returncode != 0) == missed
