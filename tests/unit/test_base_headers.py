"""Tests of cpp/base in programs of their own, for what no test of the library reaches.

Counters of 32 bits end in an error that says what to do, and an exception in a thread is thrown
again where its team was called.
"""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
#include <cstdio>
#include "counting.h"
#include "interner.h"
#include "team.h"
#include "word_trie.h"
int main() {{
  try {{
    {code}
  }} catch (const nlmt::InputError& error) {{
    std::printf("%s (%s) %s", error.what(), error.hint.c_str(), error.path.c_str());
    return 0;
  }}
  return 1;
}}
"""
INTERNER = """nlmt::Interner numbers(2);
    for (unsigned hash : {1, 2, 1, 2}) numbers.intern(hash, [](unsigned) { return true; });
    numbers.intern(3, [](unsigned) { return true; });"""
TRIE = """nlmt::WordTrie trie(3);
    for (unsigned word : {1, 2, 1, 2}) trie.add(0, word);
    trie.add(1, 1);"""

COUNT = """unsigned count = 1;
    nlmt::add_count(count, ~0u - 1);
    if (count == ~0u) nlmt::add_count(count, 1);"""
NUMBERED = """nlmt::check_numbered(~0u - 1, "too many", "nowhere");
    nlmt::check_numbered(~0u, "too many", "give less", "a path");"""

# The calling thread has a task that ends only when another thread has thrown.
TEAM = """nlmt::Team team(3);
    std::atomic<bool> thrown(false);
    try {
      team.each(8, [&](std::int64_t, int thread) {
        while (thread == 0 && !thrown) std::this_thread::yield();
        if (thread == 0 || thrown.exchange(true)) return;
        throw nlmt::InputError("thrown in a thread", "", 0, "thrown again");
      });
    } catch (const nlmt::InputError&) {
      std::atomic<int> sum(0);
      team.each(8, [&](std::int64_t i, int) { sum += i; });
      if (sum == 28) throw;
    }"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (INTERNER, "more than 2 distinct things to number (give less text"),
        (COUNT, "something occurs 2^32 times or more (give less text"),
        (NUMBERED, "too many (give less) a path"),
        (TRIE, "more than 2 distinct sequences of words (give less text"),
        (TEAM, "thrown in a thread (thrown again)"),
    ],
    ids=["interner", "count", "numbered", "trie", "team"],
)
def test_a_program_ends_in_its_error(code: str, expected: str, tmp_path: Path) -> None:
    program = compiled(code, tmp_path)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(expected)


def compiled(code: str, folder: Path, *flags: str) -> Path:
    """A program that runs some code."""
    source, program = folder / "program.cpp", folder / "program"
    source.write_text(PROGRAM.format(code=code))
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-pthread", f"-I{ROOT}/cpp/base"]
    subprocess.run([*command, *flags, "-o", program, source], check=True)
    return program


ROUNDS = """nlmt::Team team(3);
    std::vector<int> own(40);
    int beside = 0, all = 0;
    for (int round = 0; round < 300; ++round) {{
      team.beside([&] {{ ++beside; }});
      team.each(own.size(), [&](std::int64_t i, int) {{ {task}; }});
    }}
    for (int one : own) all += one;
    if (beside == 300) throw nlmt::InputError(std::to_string(all), "", 0, "");"""


@pytest.mark.parametrize(("task", "status"), [("own[i] += 1", 0), ("own[0] += i", 66)])
def test_rounds_of_a_team_race_only_in_what_tasks_share(
    task: str, status: int, tmp_path: Path
) -> None:
    """By gcc's thread sanitizer, as `make sanitize-threads` has for all of the library."""
    fixed = ["setarch", os.uname().machine, "--addr-no-randomize"]
    if subprocess.run([*fixed, "true"], capture_output=True, check=False).returncode:
        pytest.skip("addresses are always random here")
    program = compiled(ROUNDS.format(task=task), tmp_path, "-fsanitize=thread", "-g")
    environment = os.environ | {"TSAN_OPTIONS": "exitcode=66"}
    done = subprocess.run(
        [*fixed, program], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == status, done.stderr
    assert done.stdout.startswith("12000" if status == 0 else "")
    assert ("data race" in done.stderr) == (status != 0)
