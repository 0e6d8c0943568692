"""Needs of larger texts on one machine, by `nlmt resources`: scale medium, and the largest a day.

Run it in a folder without results of that scale: nothing is measured, planning takes seconds.
"""

from bisect import bisect_left
from collections.abc import Iterator
from functools import partial

from benchmarks.frames import Row
from nlmt.cli.resources import least_hours, planned, sums
from nlmt.experiment import estimate
from nlmt.workflow.project import project_folder

# The default experiment: an n-gram and a neural model of all text, tuned, decoded and rescored.
TARGETS, CONFIG = ["reports"], {"scale": "medium"}
CORES, HOURS, MEMORY_MB = 2, 24, (24 << 30) // 10**6
TIMES = (1, 4, 16)
MOST = 1 << 12


def run() -> Iterator[Row]:
    """Yield time, memory and disk of some sizes, and the largest one that a day is enough for."""
    experiment, jobs = planned(project_folder() / "Snakefile", TARGETS, CONFIG, [])
    needs = partial(estimate, experiment, jobs, CORES)

    def too_large(times: int) -> bool:
        found = needs(times=times)
        return least_hours(found, CORES) > HOURS or sums(found)["memory MB"] > MEMORY_MB

    for times in (*TIMES, bisect_left(range(1, MOST), True, key=too_large)):
        found = needs(times=times)
        figures = sums(found) | {f"hours on {CORES} cores": least_hours(found, CORES)}
        for unit in ("CPU hours", f"hours on {CORES} cores", "memory MB", "disk GB"):
            yield {"step": f"{times} times", "figure": round(figures[unit], 2), "unit": unit}
