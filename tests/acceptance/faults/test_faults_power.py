"""A loss of power, at random moments or at a checkpoint: what was not on the disk is gone or empty.

NLMT_LOSSES is how often, NLMT_LOSS_SEED draws the moments. What is older than `FLUSHED` seconds the
system has written by itself.
"""

import os
import random
import signal
import time
from pathlib import Path

import pytest
from disturbed import Finished, killed, recovered, started, unchanged, wait_until

from tests.lost_power import forget, noting_syncs
from tests.workflow.conftest import HALT, PAIR, go_on, halting_at, logs, make_project, run_snakemake

LOSSES = int(os.environ.get("NLMT_LOSSES", "10"))
SEED = int(os.environ.get("NLMT_LOSS_SEED", "1"))
FLUSHED = 5.0


def folders(project: Path) -> list[Path]:
    """All that the workflow writes into."""
    return [project / name for name in ("results", ".snakemake", "data")]


def test_power_is_lost_at_random_moments(finished: Finished, tmp_path: Path, seen):
    draw = random.Random(SEED)  # noqa: S311
    syncs = tmp_path / "syncs"
    variables = noting_syncs(tmp_path, syncs)
    losses, projects, project = 0, 0, tmp_path
    while losses < LOSSES:
        projects += 1
        project = tmp_path / f"project{projects}"
        project.mkdir()
        make_project(project)
        while losses < LOSSES:
            syncs.write_text("")
            moment = draw.uniform(0, finished.seconds)
            if not killed(project, moment, **variables):
                unchanged(finished, project)
                break
            losses += 1
            flushed = time.time_ns() - int(FLUSHED * 1e9)
            emptied, removed = forget(folders(project), syncs, flushed)
            what = f"project {projects}, after {moment:.2f} s"
            seen(f"seed {SEED}, loss {losses}", f"{what}: {emptied} emptied, {removed} removed")
            result = run_snakemake(project, "--unlock")
            assert result.returncode == 0, result.stdout + result.stderr
    recovered(project)
    unchanged(finished, project)


@pytest.mark.parametrize(
    ("folder", "name", "output", "goes_on"),
    [
        (f"{PAIR}/lm/nce/run1", "checkpoint.safetensors", "model.safetensors", "after 1 epochs"),
        (f"{PAIR}/tune/baseline/run1", "state.json", "weights.json", "after iteration 1"),
    ],
    ids=["neural training", "tuning"],
)
def test_no_more_than_one_interval_between_checkpoints_is_lost(
    finished: Finished, copy: Path, tmp_path: Path, seen, folder, name, output, goes_on
):
    """Power is lost when the second checkpoint has its name, which is not on the disk yet."""
    latest = Path(folder, "checkpoint", name)
    previous = latest.with_stem(f"{latest.stem}.previous")
    output = f"{folder}/{output}"
    for path in next(list(job.outputs) for job in finished.jobs() if output in job.outputs):
        (copy / path).unlink()
    syncs = tmp_path / "syncs"
    syncs.touch()
    variables = noting_syncs(tmp_path, syncs)
    variables |= halting_at(copy, str(previous))
    began = time.time_ns()
    with started(copy, output, **variables) as process:
        wait_until((copy / previous).exists, copy, process)
        (copy / HALT / name).write_text(str(latest))
        go_on(copy, str(previous))
        wait_until((copy / latest).exists, copy, process)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    forget(folders(copy), syncs, began)
    assert not (copy / latest).exists()
    assert run_snakemake(copy, "--unlock").returncode == 0
    recovered(copy, output)
    assert f"resuming {goes_on}" in logs(copy)
    seen(f"loss of power at the second {name}", f"resuming {goes_on}")
    unchanged(finished, copy)
