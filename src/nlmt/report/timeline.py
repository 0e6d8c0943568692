"""Figure of the jobs of a run over time."""

import heapq
from collections.abc import Collection, Mapping
from datetime import datetime

import matplotlib as mpl
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from nlmt.provenance.timeline import TimedJob
from nlmt.report.figures import GREY, RED
from nlmt.report.svg import as_svg

_WIDTH, _LANE, _AXIS, _ENTRY = 11.0, 0.4, 0.8, 0.2  # inches
_COLUMNS = 5  # of the legend


def timeline_figure(jobs: Mapping[str, TimedJob], critical: Collection[str]) -> str:
    """The figure as an `<svg>` element: a bar per job, coloured by rule, in lanes.

    The names of critical jobs are underlined in red.
    """
    lanes = _lanes(jobs)
    lines = max(lanes.values()) + 1
    colors = _colors(jobs)
    begin = min(job.start for job in jobs.values())
    height = _LANE * lines + _AXIS + _ENTRY * (len(colors) // _COLUMNS + 1)
    with mpl.rc_context({"font.size": 10}):
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        axes = figure.subplots()
        for name, job in jobs.items():
            left, lane = (job.start - begin).total_seconds(), lanes[name]
            axes.barh(lane, job.seconds, 0.7, left, color=colors[job.rule], edgecolor=GREY, lw=0.3)
            if name in critical:
                axes.barh(lane + 0.42, job.seconds, 0.1, left, color=RED)
        axes.set_ylim(lines - 0.4, -0.6)
        axes.set_yticks([])
        axes.margins(x=0)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.set_xlabel(f"seconds since {begin:%Y-%m-%d %H:%M:%S} UTC; red: critical path")
        keys = [Patch(color=color, label=rule) for rule, color in colors.items()]
        figure.legend(handles=keys, loc="outside lower left", ncols=_COLUMNS, fontsize=8)
        return as_svg(figure, "timeline", "The jobs of the run over time")


def _colors(jobs: Mapping[str, TimedJob]) -> dict[str, str]:
    """A colour for each rule, in the order of their first jobs; colours repeat after twenty."""
    palette = mpl.colormaps["tab20"]
    rules = dict.fromkeys(job.rule for job in jobs.values())
    return {rule: to_hex(palette(number % palette.N)) for number, rule in enumerate(rules)}


def _lanes(jobs: Mapping[str, TimedJob]) -> dict[str, int]:
    """The lane of each job: the first that is free when it starts."""
    lanes: dict[str, int] = {}
    free: list[int] = []
    running: list[tuple[datetime, int]] = []  # by end
    for name, job in sorted(jobs.items(), key=lambda item: item[1].start):
        while running and running[0][0] <= job.start:
            heapq.heappush(free, heapq.heappop(running)[1])
        lanes[name] = heapq.heappop(free) if free else len(running)
        heapq.heappush(running, (job.end, lanes[name]))
    return lanes
