"""A loss of power at random moments: what was not on the disk is gone or empty.

NLMT_LOSSES is how often, NLMT_LOSS_SEED draws the moments. What is older than `FLUSHED` seconds the
system has written by itself.
"""

import os
import random
import time
from pathlib import Path

from disturbed import Finished, killed, recovered, unchanged

from tests.unit.test_fault_points import compile_library
from tests.workflow.conftest import make_project, run_snakemake

LOSSES = int(os.environ.get("NLMT_LOSSES", "10"))
SEED = int(os.environ.get("NLMT_LOSS_SEED", "1"))
FLUSHED = 5.0
SOURCE = Path(__file__).with_name("syncs.cpp")


def forget(project: Path, syncs: Path) -> tuple[int, int]:
    """Empty and remove the files that were not on the disk; how many of each."""
    kept: dict[tuple[int, int], int] = {}  # the latest time of content that is on the disk
    written: dict[tuple[int, int], int] = {}  # the time of content whose time was changed
    for line in syncs.read_text().splitlines():
        device, inode, before, after = map(int, line.split())
        if before <= kept.get((device, inode), 0):
            kept[device, inode] = max(after, kept.get((device, inode), 0))
        if before:
            written.setdefault((device, inode), before)
    flushed = time.time_ns() - int(FLUSHED * 1e9)
    emptied = removed = 0
    for folder in (project / "results", project / ".snakemake", project / "data"):
        for path in [path for path in folder.rglob("*") if path.is_file()]:
            file, place = path.stat(), path.parent.stat()
            named = written.get((file.st_dev, file.st_ino), file.st_ctime_ns)
            if named > max(kept.get((place.st_dev, place.st_ino), 0), flushed):
                path.unlink()
                removed += 1
            elif file.st_mtime_ns > max(kept.get((file.st_dev, file.st_ino), 0), flushed):
                os.truncate(path, 0)
                emptied += 1
    return emptied, removed


def test_power_is_lost_at_random_moments(finished: Finished, tmp_path: Path, seen):
    draw = random.Random(SEED)  # noqa: S311
    syncs = tmp_path / "syncs"
    variables = {"LD_PRELOAD": compile_library(tmp_path, SOURCE), "NLMT_SYNCS": str(syncs)}
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
            emptied, removed = forget(project, syncs)
            what = f"project {projects}, after {moment:.2f} s"
            seen(f"seed {SEED}, loss {losses}", f"{what}: {emptied} emptied, {removed} removed")
            result = run_snakemake(project, "--unlock")
            assert result.returncode == 0, result.stdout + result.stderr
    recovered(project)
    unchanged(finished, project)
