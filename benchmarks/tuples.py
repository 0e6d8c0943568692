"""Tuples: extraction from the training text, and from a 1000-best list with its alignments."""

import tempfile
import time
from pathlib import Path

from benchmarks.frames import Row
from nlmt.errors import InputError
from nlmt.io.files import read_lines
from nlmt.io.nbest import iter_nbest
from nlmt.tuples import encode, extract_tuples, tuples_of_nbest

PAIR = Path("results/help/fr-en")
BITEXT = (PAIR / "text/train.fr.gz", PAIR / "text/train.en.gz", PAIR / "tm/aligned.gz")
LIST = PAIR / "decode/baseline/run1/test.nbest.gz"
SOURCE = PAIR / "text/test.fr.gz"


def run() -> list[Row]:
    """Rows of both; a row states its input if that is missing."""
    return [_bitext(), _nbest()]


def _bitext() -> Row:
    row: Row = {"step": "tuples of the training text", "unit": "CPU s"}
    if not all(path.exists() for path in BITEXT):
        return row | {"figure": f"not run: needs {BITEXT[-1]}"}
    with tempfile.TemporaryDirectory() as folder:
        before = time.process_time()
        counts = extract_tuples(*BITEXT, Path(folder) / "tuples.gz")
        return row | {"figure": time.process_time() - before, "note": str(counts)}


def _nbest() -> Row:
    row: Row = {"step": "tuples of a 1000-best list, read", "unit": "CPU s"}
    if not LIST.exists():
        return row | {"figure": f"not run: needs {LIST}"}
    before = time.process_time()
    source = encode(read_lines(SOURCE))
    hypotheses = 0
    try:
        for block in iter_nbest(LIST, keep_alignments=True):
            hypotheses += len(tuples_of_nbest(block, source))
    except InputError:  # the default systems ask for none
        return row | {"figure": "not run: needs a list with alignments (schwenk2010)"}
    return row | {"figure": time.process_time() - before, "note": f"{hypotheses:,} hypotheses"}
