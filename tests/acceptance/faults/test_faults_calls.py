"""One call to the system fails in each job of the tiny workflow: an allocation, a thread, a write.

The job is tried again. NLMT_FAULT_RUNS is how often the workflow runs, NLMT_FAULT_RUN the seed of
the first run, which draws the calls.
"""

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from disturbed import Finished, unchanged

from tests.unit.test_fault_points import compile_library
from tests.workflow.conftest import make_project, run_snakemake

RUNS = int(os.environ.get("NLMT_FAULT_RUNS", "3"))
FIRST = int(os.environ.get("NLMT_FAULT_RUN", "1"))
RESTARTED = "Trying to restart job"  # Snakemake's words
PLUGIN = Path(__file__).parent / "failing_jobs"


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a run with counted calls, in whose folder the counts are."""
    place = tmp_path_factory.mktemp("counts")
    library = compile_library(place)
    variables = {"LD_PRELOAD": library, "PYTHONPATH": str(PLUGIN), "NLMT_FAULTS": str(place)}
    project = tmp_path_factory.mktemp("counted")
    result = run_snakemake(make_project(project), "reports", **variables)
    assert result.returncode == 0, result.stdout + result.stderr
    return variables


@pytest.mark.parametrize("seed", range(FIRST, FIRST + RUNS))
def test_a_failing_call_in_each_job(counted, finished: Finished, project: Path, seen, seed: int):
    place = Path(counted["NLMT_FAULTS"])
    for old in place.glob("*.attempt"):
        old.unlink()
    result = run_snakemake(
        project, "reports", "--retries", "1", **counted, NLMT_FAULT_SEED=str(seed)
    )
    attempts = [json.loads(path.read_text()) for path in place.glob("*.attempt")]
    assert result.returncode == 0, result.stdout + result.stderr
    # A job that a signal ended has not written what it said.
    wrong = [one for one in attempts if "Traceback" in one.get("said", "Traceback")]
    kinds = dict(Counter(one["kind"] for one in attempts if one.get("reached")))
    restarted = result.stdout.count(RESTARTED) + result.stderr.count(RESTARTED)
    seen(f"seed {seed}", f"{len(attempts)} jobs, {restarted} restarted; failed: {kinds}")
    assert wrong == []
    unchanged(finished, project)
