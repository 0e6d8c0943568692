"""Results in a storage of Snakemake's: the same plan, and the bytes of a run without it."""

import json
import re
from pathlib import Path

from conftest import PAIR, ROOT, artefacts, change, run_snakemake, succeeded

PREFIX = "folder://bucket"


def run_stored(folder: Path, *arguments: str):
    """Run the workflow with the bucket `bucket` beside the project folder."""
    storage = ["--default-storage-provider", "folder", "--default-storage-prefix", PREFIX]
    variables = {
        "PYTHONPATH": str(ROOT / "tests/storage"),
        "NLMT_TEST_STORAGE": str(folder.with_name(f"{folder.name}.storage")),
    }
    return run_snakemake(folder, *storage, *arguments, **variables)


def job_table(result) -> str:
    """The numbers of jobs that a dry run prints."""
    return re.search(r"Job stats:\n(.*?\ntotal.*?)\n", succeeded(result).stdout, re.DOTALL)[1]


def test_no_rule_is_ambiguous(project):
    """Outputs in a storage keep their constraints: those of shards and papers, too."""
    change(
        project,
        decoder={"pop_limit": 100, "stack": 100, "shards": 2},
        text={"shards": 2},
        systems={"nlm_decoder": None},
        papers={"schwenk2010": {"test_sets": ["test"]}},
    )
    targets = ["--dry-run", "reports", "results/papers/schwenk2010/table1.svg"]
    stored = job_table(run_stored(project, *targets))
    assert stored == job_table(run_snakemake(project, *targets))
    for rule in ("prepare_shard", "decode_shard", "write_paper_table", "draw_paper_figure"):
        assert re.search(rf"^{rule} ", stored, re.MULTILINE)


def test_the_bytes_of_a_run_without_a_storage(finished, project):
    """All that the first run makes, and its part of the means over both runs."""
    change(project, runs=1)
    # One core: jobs have as many threads as where two runs share two cores.
    succeeded(run_stored(project, "--cores", "1", "reports"))
    bucket = project.with_name(f"{project.name}.storage") / "bucket"
    expected, found = artefacts(finished), artefacts(bucket)
    assert found.keys() == {name for name in expected if "/run2/" not in name}
    systems = f"{PAIR}/systems.json"
    scores = {name: f"{PAIR}/eval/{name}.json" for name in ("baseline", "nlm", "nlm_decoder")}
    assert {name for name in found if found[name] != expected[name]} == {systems, *scores.values()}
    one, both = (json.loads(files[systems]) for files in (found, expected))
    for runs in both["systems"].values():
        del runs["2"]
    assert one == both
    for path in scores.values():
        one, both = (json.loads(files[path])["scores"]["test"] for files in (found, expected))
        assert one.keys() == both.keys()
        assert all(one[metric]["runs"] == both[metric]["runs"][:1] for metric in both)
    assert not list(project.glob(f"{PAIR}/lm/*/*.binary"))  # no local copy is left
    result = run_stored(project, "--dry-run", "reports")
    assert "Nothing to be done" in result.stdout + result.stderr
    # What is needed again comes back from the storage.
    change(project, evaluation={"resamples": 50})
    result = succeeded(run_stored(project, scores["nlm"]))
    assert "] evaluate_system " in result.stdout + result.stderr
    assert "] decode " not in result.stdout + result.stderr
    again = artefacts(bucket)
    assert [name for name in again if again[name] != found.get(name)] == [scores["nlm"]]
