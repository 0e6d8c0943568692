"""Some mutations of code that results rest on: a test sees each (`make acceptance-mutations`)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Module, a text in it, what replaces that, and the test that then fails.
MUTATIONS = [
    (
        "nlmt.io.locks",
        "if not _create_or_replace(second, owner, seen):",
        "if not (_create_or_replace(second, owner, seen) or second.touch() is None):",
        "io/test_locks.py::test_one_at_a_time_takes_over",
    ),
    (
        "nlmt.io.locks",
        "if _content(path) == content:",
        "if True:",
        "io/test_locks.py::test_two_that_find_a_dead_owner_do_not_both_take_over",
    ),
    (
        "nlmt.tuning.loop_state",
        """f"pool-{_digest(identity)[:12]}-{iterations}.npz\"""",
        '"pool.npz"',
        "tuning/test_tuning_loop.py::test_a_damaged_state_costs_one_iteration",
    ),
    (
        "nlmt.tuning.loop_state",
        "old.unlink()",
        "pass",
        "tuning/test_tuning_loop.py::test_interrupted_run_goes_on",
    ),
    (
        "nlmt.corpora.archives",
        "elif member.issparse():",
        "elif False:",
        "corpora/test_corpora_archives.py::test_sparse_members_of_a_tar_are_not_read",
    ),
    (
        "nlmt.corpora.network.client",
        'if old.scheme == "https" and new.scheme == "http":',
        "if False:",
        "corpora/test_corpora_network_parts.py::test_redirects_that_are_followed",
    ),
    (
        "nlmt.workflow.job",
        "json.dumps([snakemake.rule, inputs, params,",
        "json.dumps([snakemake.rule, params,",
        "workflow/test_workflow_job.py"
        "::test_jobs_are_the_same_if_nothing_differs_on_which_the_result_depends",
    ),
]


@pytest.mark.parametrize(
    "mutation", MUTATIONS, ids=lambda mutation: mutation[-1].rpartition("::")[2]
)
def test_a_mutation_is_seen(mutation: tuple[str, str, str, str]) -> None:
    *change, test = mutation
    command = [sys.executable, "-m", "pytest", "-x", "-p", "mutated", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, f"tests/unit/{test}"],
        cwd=ROOT,
        env=os.environ
        | {"PYTHONPATH": str(ROOT / "tests/mutations"), "NLMT_MUTATION": json.dumps(change)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
