"""Compiled code in little memory: no abort where there is too little, and no need for much."""

import subprocess
import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[1] / "golden"
# What a process still gets: no more than a few stacks of threads.
LIMIT = """
import resource
from pathlib import Path

def limit(mb):
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + mb * 2**20,) * 2)
"""
SCRIPTS = {
    "evaluation: threads": """
from nlmt.evaluation import Bleu
lines = ["a b c"] * 1000
limit(64)
Bleu().statistics(lines, [lines], threads=200)
""",
    "evaluation: memory": """
from nlmt.evaluation import Ter
lines = [" ".join(map(str, range(600_000))), "a"]  # some 50 columns a word
limit(128)
Ter().statistics(lines, [lines], threads=2)
""",
    "tuning: threads": """
import numpy as np
from nlmt.tuning import _mert
random = np.random.default_rng(1)
offsets = np.arange(0, 2001, 20)
features, statistics = random.random((2000, 4)), random.integers(1, 9, (2000, 9), np.int32)
lists = _mert.Lists(features, offsets, statistics, "bleu")
limit(64)
lists.optimise(random.random((200, 4)), 1, 200)
""",
    "decoder: threads": f"""
import os
from nlmt.decoder import Decoder
os.chdir({str(GOLDEN)!r})
decoder = Decoder("moses.ini")
decoder.threads = 200
limit(64)
decoder.decode(["la ville"] * 1000)
""",
    "neural models: threads": """
from nlmt.neural._kernel import PrefixAttention32
limit(64)
PrefixAttention32(1, 8, 200)
""",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_ends_in_an_exception(name: str) -> None:
    script = f"""{LIMIT}
try:
    {SCRIPTS[name].strip().replace(chr(10), chr(10) + "    ")}
except (OSError, MemoryError, RuntimeError) as error:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "refused\n"


def test_walls_of_markup_take_memory_in_proportion(tmp_path: Path) -> None:
    """A line of 65 kB took 2.2 GB: each wall was kept for each word that its tag names."""
    (tmp_path / "line").write_text("le" + '<wall span="0-99999999"/>' * 2600 + "\n")
    script = f"""{LIMIT}
import os
from nlmt.decoder import Decoder, SearchOptions
os.chdir({str(GOLDEN)!r})
decoder = Decoder("moses.ini", search=SearchOptions(xml_input="exclusive"))
line = Path({str(tmp_path / "line")!r}).read_text()
limit(256)
print(len(decoder.decode([line])))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "1\n", done.stderr


@pytest.mark.parametrize("lattices", [False, True])
def test_pruned_hypotheses_take_no_memory(lattices: bool, tmp_path: Path) -> None:
    """Without a limit of reordering each stack prunes tens of thousands, all of other coverage."""
    lattice = f"LatticeRequest(Path({str(tmp_path / 'lattices')!r}))" if lattices else None
    script = f"""{LIMIT}
import os
from nlmt.decoder import Decoder, LatticeRequest, SearchOptions
os.chdir({str(GOLDEN)!r})
decoder = Decoder("moses.ini", search=SearchOptions(distortion_limit=-1))
decoder.decode(["le chien"])
line = " ".join(f"w{{i}}" for i in range(150))
limit(64)
(best,) = decoder.decode([line], lattices={lattice})
print(sorted(best.text.split()) == sorted(line.split()))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr
