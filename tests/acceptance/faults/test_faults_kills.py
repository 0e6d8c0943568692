"""SIGKILL at random moments or after random jobs, to everything at once or to one job.

NLMT_KILLS is how often, NLMT_KILL_SEED draws the moments.
"""

import os
import random
import shutil
import time
from pathlib import Path

from disturbed import ended, killed, killed_after, recovered, unchanged

from tests.workflow.conftest import (
    differences,
    half_written,
    make_project,
    run_snakemake,
    use_auli2013,
)

KILLS = int(os.environ.get("NLMT_KILLS", "20"))
SEED = int(os.environ.get("NLMT_KILL_SEED", "1"))


def processes(temporary: Path) -> list[str]:
    """The programs that run with this folder for temporary files."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if f"TMPDIR={temporary}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append((entry / "comm").read_text().strip())
        except OSError:  # it has just ended
            continue
    return found


def test_killed_at_random_moments(finished, tmp_path, seen):
    draw = random.Random(SEED)  # noqa: S311
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    kills, projects, orphans = 0, 0, set()
    project = tmp_path
    while kills < KILLS:
        projects += 1
        project = tmp_path / f"project{projects}"
        project.mkdir()
        make_project(project)
        while kills < KILLS:
            moment = draw.uniform(0, finished.seconds)
            if not killed(project, moment, TMPDIR=str(temporary)):
                unchanged(finished, project)
                break
            kills += 1
            orphans.update(processes(temporary))
            state = f"{len(half_written(project))} files half-written"
            seen(f"seed {SEED}, kill {kills}", f"project {projects}, after {moment:.2f} s; {state}")
            result = run_snakemake(project, "--unlock", TMPDIR=str(temporary))
            assert result.returncode == 0, result.stdout + result.stderr
    recovered(project, TMPDIR=str(temporary))
    unchanged(finished, project)
    deadline = time.monotonic() + 60
    while processes(temporary) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert processes(temporary) == []
    left = sorted(path.name for path in temporary.iterdir())
    # Those of Snakemake itself, a folder a kill, stay.
    assert [name for name in left if not name.startswith("snakemake")] == []
    survived = (
        f"; programs that went on for a while: {', '.join(sorted(orphans))}" if orphans else ""
    )
    seen(f"{KILLS} kills of everything", f"{projects} projects, the same bytes{survived}")


def test_paper_killed_after_random_jobs(copy, tmp_path, seen):
    """A paper goes on from where it was killed: its tables are those of an undisturbed run."""
    use_auli2013(copy)
    other = Path(shutil.copytree(copy, tmp_path / "killed"))
    recovered(copy, "auli2013")
    most = (ended(copy) - ended(other)) // 4  # of the jobs before a kill
    draw = random.Random(SEED)  # noqa: S311
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    kills = 0
    variables = {"TMPDIR": str(temporary)}
    while killed_after(other, draw.randint(1, most), "auli2013", **variables):
        kills += 1
        result = run_snakemake(other, "--unlock")
        assert result.returncode == 0, result.stdout + result.stderr
    assert kills > 2  # as no run may end more than a quarter of the jobs
    assert half_written(other) == []
    assert differences(copy, other) == []
    for number in (5, 6, 7, 8):  # the others have times
        one, two = (
            (folder / f"results/papers/auli2013/table{number}.tsv").read_text()
            for folder in (copy, other)
        )
        assert one == two
    seen(f"{kills} kills of a paper's run until one ends", "the same models, translations, tables")
