"""Needs of the papers and reports at full scale by stage, as `nlmt resources` estimates it.

Run it in a folder without results of that scale: nothing is measured, planning takes half a minute.
"""

from collections.abc import Iterator

from benchmarks.frames import Row
from nlmt.cli.resources import planned, sums
from nlmt.experiment import estimate
from nlmt.progress.stages import STAGES, stage_of
from nlmt.workflow.project import project_folder

TARGETS, CONFIG = ["papers", "reports"], {"scale": "full"}


def run() -> Iterator[Row]:
    """Yield jobs, hours, disk and memory of each stage and of all."""
    experiment, jobs = planned(project_folder() / "Snakefile", TARGETS, CONFIG, [])
    estimates = estimate(experiment, jobs, 1)
    by_stage = {
        stage: [one for one in estimates if stage_of(one.job.rule) == stage] for stage in STAGES
    }
    for stage, some in (by_stage | {"all": estimates}).items():
        for unit, figure in sums(some).items() if some else ():
            yield {"step": stage, "figure": round(figure, 2), "unit": unit}
