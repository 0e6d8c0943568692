"""Tables and pages behind which are results of different code say so, and others do not.

One of them is a paper of a user's own, which a plugin registers.
"""

import json
from pathlib import Path

import pandas as pd
import pytest
from conftest import PAIR, ROOT, change, run_snakemake, succeeded

# The second, of the user's paper, needs no model but kn5.
TABLES = (f"{PAIR}/report/results.tsv", "results/papers/kneser1995/perplexities.tsv")


def change_code_of(folder: Path, job: str) -> None:
    """Let the record of a job say that other code made its results."""
    place = folder / f"results/provenance/jobs/{job}.json"
    record = json.loads(place.read_text())
    record["modules"]["nlmt.io.files"] = "of other code"
    place.write_text(json.dumps(record))


def marked(folder: Path) -> list[bool]:
    """Whether each table and its page are marked."""
    tables = [folder / table for table in TABLES]
    found = ["\tmixed code\n" in table.read_text() for table in tables]
    pages = [table.with_name("index.html").read_text() for table in tables]
    assert ["a change of the code of nlmt.io.files;" in page for page in pages] == found
    return found


def test_what_is_made_from_mixed_code_is_marked(copy_of_finished):
    folder = copy_of_finished
    change(folder, plugins=[str(ROOT / "tests/examples/paper.py")])
    job = "train_neural_lm/tiny.fr-en.nce/run1"
    record = folder / f"results/provenance/jobs/{job}.json"
    unchanged = record.read_text()
    change_code_of(folder, job)
    succeeded(run_snakemake(folder, "reports", "kneser1995", "--forcerun", "write_report"))
    assert marked(folder) == [True, False]
    record.write_text(unchanged)
    change_code_of(folder, "train_ngram_lm/tiny.fr-en.kn5")
    forced = ("--forcerun", "write_report", "write_paper_table")
    succeeded(run_snakemake(folder, "reports", "kneser1995", *forced))
    assert marked(folder) == [True, True]
    perplexities = pd.read_csv(folder / TABLES[1], sep="\t")["value"].tolist()
    measured = json.loads((folder / PAIR / "lm/kn5/perplexity.json").read_text())
    assert perplexities == pytest.approx([measured["test"]["perplexity"]])
    assert "Kneser and Ney (1995)" in (folder / TABLES[1]).with_name("index.html").read_text()
