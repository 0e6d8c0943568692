"""Word alignments of eflomal's own Python package, its seed given, against ours."""

import os
import re
import subprocess
import sys
from functools import partial
from importlib.metadata import version
from pathlib import Path

import pytest
from held import held
from samples import bitext, made_up, seeded

from nlmt.alignment import _alignment, align

SEEDED = {
    "LD_PRELOAD": str(Path(_alignment.__file__).with_name("_eflomal_seed.so")),
    "NLMT_ALIGNMENT_SEED": "3",
    "OMP_NUM_THREADS": "2,1",
    "OMP_DYNAMIC": "false",
}
OWN = """\
import sys
from eflomal import Aligner
source, target, forward, reverse = sys.argv[1:]
with open(source, encoding="utf-8") as one, open(target, encoding="utf-8") as other:
    Aligner().align(one, other, links_filename_fwd=forward, links_filename_rev=reverse)
"""


# eflomal parts words there, too; we do it at blanks and tabs, as Moses' phrase extraction does.
SPACES = re.compile(r"[^\S\t ]")


def drawn(language: str) -> tuple[list[str], list[str]]:
    english, other = bitext(language, 400)
    return other, english


def odd() -> tuple[list[str], list[str]]:
    """Lines of any characters, without a word, of one word, and of 1,023."""
    draw = seeded("odd")
    source, target = made_up(draw, 200), made_up(draw, 200)
    source += ["", "a", "", "A a", "a\tb", " a  b ", " ".join("ab" * 1023)[: 2 * 1023]]
    target += ["", "", "b", "B b", "c\td", " c  d ", " ".join("cd" * 1023)[: 2 * 1023]]
    return source, target


TEXTS = {
    "French": partial(drawn, "fr"),
    "Chinese": partial(drawn, "zh"),
    "Russian": partial(drawn, "ru"),
    "odd lines": odd,
}


@pytest.mark.parametrize("name", TEXTS)
def test_links_are_those_of_eflomal(tmp_path: Path, name: str) -> None:
    paths = {key: tmp_path / key for key in ("source", "target", "a", "b", "forward", "reverse")}
    for key, lines in zip(("source", "target"), TEXTS[name](), strict=True):
        paths[key].write_text("".join(f"{SPACES.sub(' ', line)}\n" for line in lines))
    command = [sys.executable, "-c", OWN, *list(paths.values())[:4]]
    subprocess.run(command, env={**os.environ, **SEEDED}, check=True)
    align(paths["source"], paths["target"], paths["forward"], paths["reverse"], seed=3)
    source = paths["source"].read_text().split("\n")
    with held(f"eflomal {version('eflomal')}", f"links of both directions, {name}") as case:
        for theirs, ours in (("a", "forward"), ("b", "reverse")):
            answers = (paths[key].read_text().split("\n") for key in (theirs, ours))
            for line, expected, found in zip(source, *answers, strict=True):
                case.compare((ours, line), expected, found)
