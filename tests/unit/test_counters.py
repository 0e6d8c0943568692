"""Counters of 32 bits end in an error that says what to do, and wrap nowhere."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
#include <cstdio>
#include "interner.h"
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


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (INTERNER, "more than 2 distinct things to number (give less text"),
        (TRIE, "more than 2 distinct sequences of words (give less text"),
    ],
)
def test_a_full_counter_says_what_to_do(code: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "full.cpp").write_text(PROGRAM.format(code=code))
    compiler = [os.environ.get("CXX", "c++"), "-std=c++17", f"-I{ROOT}/cpp/base"]
    subprocess.run([*compiler, "-o", tmp_path / "full", tmp_path / "full.cpp"], check=True)
    done = subprocess.run([tmp_path / "full"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(expected)
