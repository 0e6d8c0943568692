"""Tables and pages behind which are results of different code say so, and others do not.

One of them is a paper of a user's own, which a plugin registers.
"""

import json

import pandas as pd
import pytest
from conftest import PAIR, ROOT, change, run_snakemake

# The second, of the user's paper, needs no model but kn5.
TABLES = (f"{PAIR}/report/results.tsv", "results/papers/kneser1995/perplexities.tsv")


@pytest.mark.parametrize(
    ("job", "marked"),
    [
        ("train_neural_lm/tiny.fr-en.nce/run1", [True, False]),
        ("train_ngram_lm/tiny.fr-en.kn5", [True, True]),
    ],
)
def test_what_is_made_from_mixed_code_is_marked(copy_of_finished, job, marked):
    place = copy_of_finished / f"results/provenance/jobs/{job}.json"
    record = json.loads(place.read_text())
    record["modules"]["nlmt.io.files"] = "of other code"
    place.write_text(json.dumps(record))
    change(copy_of_finished, plugins=[str(ROOT / "tests/examples/paper.py")])
    targets = ("reports", "kneser1995")
    result = run_snakemake(copy_of_finished, *targets, "--forcerun", "write_report")
    assert result.returncode == 0, result.stdout + result.stderr
    tables = [copy_of_finished / table for table in TABLES]
    assert ["\tmixed code\n" in table.read_text() for table in tables] == marked
    pages = [table.with_name("index.html").read_text() for table in tables]
    assert ["a change of the code of nlmt.io.files;" in page for page in pages] == marked
    perplexities = pd.read_csv(tables[1], sep="\t")["value"].tolist()
    measured = json.loads((copy_of_finished / PAIR / "lm/kn5/perplexity.json").read_text())
    assert perplexities == pytest.approx([measured["test"]["perplexity"]])
    assert "Kneser and Ney (1995)" in pages[1]
