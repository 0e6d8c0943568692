"""What no test of the library reaches in cpp/base, in programs of their own.

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
    std::printf("%s (%s)", error.what(), error.hint.c_str());
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
        (TRIE, "more than 2 distinct sequences of words (give less text"),
        (TEAM, "thrown in a thread (thrown again)"),
    ],
    ids=["interner", "count", "trie", "team"],
)
def test_a_program_ends_in_its_error(code: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "program.cpp").write_text(PROGRAM.format(code=code))
    compiler = [os.environ.get("CXX", "c++"), "-std=c++17", "-pthread", f"-I{ROOT}/cpp/base"]
    subprocess.run([*compiler, "-o", tmp_path / "program", tmp_path / "program.cpp"], check=True)
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(expected)
