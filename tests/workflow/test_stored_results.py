"""Results in a storage of Snakemake's: the same plan, and the bytes of a run without it."""

import re
from pathlib import Path

from conftest import PAIR, ROOT, change, differences, run_snakemake

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
    assert result.returncode == 0, result.stdout + result.stderr
    return re.search(r"Job stats:\n(.*?\ntotal.*?)\n", result.stdout, re.DOTALL)[1]


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
    result = run_stored(project, "reports")
    assert result.returncode == 0, result.stdout + result.stderr
    bucket = project.with_name(f"{project.name}.storage") / "bucket"
    assert differences(finished, bucket) == []
    assert not list(project.glob(f"{PAIR}/lm/*/*.binary"))  # no local copy is left
    result = run_stored(project, "--dry-run", "reports")
    assert "Nothing to be done" in result.stdout + result.stderr
    # What is needed again comes back from the storage.
    change(project, evaluation={"resamples": 50})
    scores = [f"{PAIR}/eval/{name}.json" for name in ("baseline", "nlm", "nlm_decoder")]
    result = run_stored(project, *scores)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "] evaluate_system " in result.stdout + result.stderr
    assert "] decode " not in result.stdout + result.stderr
    assert differences(finished, bucket) == scores
