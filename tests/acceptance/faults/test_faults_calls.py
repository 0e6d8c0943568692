"""One call to the system fails in each job of the tiny workflow: an allocation, a thread, a write.

The job is tried again. Each run has another call of each job, until all have failed; of allocations
a sample. NLMT_FAULT_RUNS is how many runs there are, NLMT_FAULT_RUN the first one.
"""

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from disturbed import Finished, unchanged

from tests.acceptance.faults.failing_jobs.sitecustomize import turns
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


@pytest.mark.parametrize("turn", range(FIRST, FIRST + RUNS))
def test_a_failing_call_in_each_job(counted, finished: Finished, project: Path, seen, turn: int):
    place = Path(counted["NLMT_FAULTS"])
    counts = {path.stem: json.loads(path.read_text()) for path in place.glob("*.counts")}
    calls = [turns(of_job, key) for key, of_job in counts.items()]
    whole = max(map(len, calls))
    if turn > whole:
        pytest.skip(f"all calls have failed in the first {whole} runs")
    for old in place.glob("*.attempt"):
        old.unlink()
    result = run_snakemake(
        project, "reports", "--retries", "1", **counted, NLMT_FAULT_TURN=str(turn)
    )
    attempts = [json.loads(path.read_text()) for path in place.glob("*.attempt")]
    assert result.returncode == 0, result.stdout + result.stderr
    # A job that a signal ended has not written what it said.
    wrong = [one for one in attempts if "Traceback" in one.get("said", "Traceback")]
    kinds = dict(Counter(one["kind"] for one in attempts if one.get("reached")))
    restarted = result.stdout.count(RESTARTED) + result.stderr.count(RESTARTED)
    sample = sum(kind == 0 for of_job in calls for kind, _ in of_job)
    share = sample / sum(of_job[0] for of_job in counts.values())
    what = f"{len(attempts)} jobs, {restarted} restarted; failed: {kinds}"
    seen(f"run {turn} of {whole}, with {share:.2%} of the allocations", what)
    assert wrong == []
    unchanged(finished, project)
