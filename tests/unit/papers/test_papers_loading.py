"""Modules that are loaded by jobs that only read results of the papers."""

import subprocess
import sys

HEAVY = {"nlmt.experiment", "nlmt.decoder", "nlmt.neural", "nlmt.corpora", "matplotlib", "torch"}


def test_tables_and_pages_load_nothing_that_translates_or_trains() -> None:
    code = (
        "import sys, nlmt.papers.pages, nlmt.papers.plots\n"
        "for name in nlmt.papers.PAPERS.names(): nlmt.papers.PAPERS.get(name)\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "nlmt.papers.baltescu2015" in loaded
    assert not loaded & HEAVY
