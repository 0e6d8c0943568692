"""Needs of larger texts on one machine, by `nlmt resources`: scale medium, and the largest a day.

Run it in a folder without results of that scale: nothing is measured, planning takes seconds.
"""

from collections.abc import Callable, Iterator

from benchmarks.frames import Row
from nlmt.cli.resources import least_hours, planned, sums
from nlmt.experiment import Estimate, Pace, estimate
from nlmt.workflow.project import project_folder

# The default experiment: an n-gram and a neural model of all text, tuned, decoded and rescored.
TARGETS, CONFIG = ["reports"], {"scale": "medium"}
CORES, HOURS, MEMORY_MB = 2, 24, (24 << 30) // 10**6
TIMES = (1, 4, 16)
MOST = 1 << 12


def run() -> Iterator[Row]:
    """Yield time, memory and disk of some sizes, and the largest one that a day is enough for."""
    experiment, jobs = planned(project_folder() / "Snakefile", TARGETS, CONFIG, [])

    def needs(times: int) -> list[Estimate]:
        return estimate(experiment, jobs, CORES, Pace(), times=times)

    for times in (*TIMES, _largest(needs)):
        found = needs(times)
        figures = sums(found) | {f"hours on {CORES} cores": least_hours(found, CORES)}
        for unit in ("CPU hours", f"hours on {CORES} cores", "memory MB", "disk GB"):
            yield {"step": f"{times} times", "figure": round(figures[unit], 2), "unit": unit}


def _largest(needs: Callable[[int], list[Estimate]]) -> int:
    """How many times as large the text may be, for a day and the memory."""
    fits, too_large = 0, MOST
    while too_large - fits > 1:
        times = (fits + too_large) // 2
        found = needs(times)
        fit = least_hours(found, CORES) <= HOURS and sums(found)["memory MB"] <= MEMORY_MB
        fits, too_large = (times, too_large) if fit else (fits, times)
    return fits
