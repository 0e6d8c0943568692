"""`nlmt timeline`: show where the time of a workflow run went."""

from collections.abc import Iterator, Mapping
from itertools import groupby

from nlmt.cli.arguments import positive
from nlmt.cli.files import IN_FOLDER, OUT
from nlmt.cli.parser import Options, Parser
from nlmt.io.files import write_text
from nlmt.provenance.timeline import TimedJob, critical_path, simulate, timed_jobs

DESCRIPTION = """\
Prints where the time of a run went, from the records in a folder of results: the critical path,
which is the longest chain of dependent jobs; the time of each rule; and the time of the same jobs
on other numbers of cores.
"""
EPILOG = """\
The time on other numbers of cores is a simulation: each job takes its measured time, on as many
cores as it had, and of those that can start, the one with the longest path to the end comes first.
No number of cores is faster than the critical path. A repeated job has its last time, so results of
several runs show all of them.

examples:
  nlmt timeline results
  nlmt timeline results --cores 2 8 32 --out timeline.svg
"""


def run(options: Options) -> None:
    """Print the table, and draw the jobs if requested."""
    jobs = timed_jobs(options.results)
    path = critical_path(jobs)
    print("\n".join(_lines(jobs, path, options.cores)))
    if options.out is not None:
        from nlmt.report.timeline import timeline_figure  # takes a second to load

        figure = timeline_figure(jobs, {job.name for job in path})
        write_text(options.out, f"{figure}\n")


def _lines(jobs: Mapping[str, TimedJob], path: list[TimedJob], cores: list[int]) -> Iterator[str]:
    begin = min(job.start for job in jobs.values())
    end = max(job.end for job in jobs.values())
    cpu = sum(job.cpu_seconds for job in jobs.values())
    yield f"{len(jobs)} jobs from {begin:%Y-%m-%d %H:%M:%S} to {end:%Y-%m-%d %H:%M:%S} UTC:"
    yield f"{(end - begin).total_seconds():9.1f} s, {cpu:.1f} s of processor"
    yield "simulated, without the time between jobs:"
    yield from (f"{simulate(jobs, number):9.1f} s on {number} cores" for number in cores)
    yield "critical path:"
    yield f"{sum(job.seconds for job in path):9.1f} s in all"
    yield from (f"{job.seconds:9.1f} s  {job.name}" for job in path)
    yield "rules, by time of processor:"
    by_rule = sorted(jobs.values(), key=lambda job: job.rule)
    rows = []
    for rule, group in groupby(by_rule, key=lambda job: job.rule):
        some = list(group)
        seconds, processor = sum(j.seconds for j in some), sum(j.cpu_seconds for j in some)
        rows.append(
            (processor, f"{processor:9.1f} s of processor, {seconds:.1f} s", rule, len(some))
        )
    yield from (f"{times}  {rule} ({jobs})" for _, times, rule, jobs in sorted(rows, reverse=True))


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt timeline", description=DESCRIPTION, epilog=EPILOG)
    add = parser.add_argument
    add("results", type=IN_FOLDER, metavar="FOLDER", help="results of the workflow")
    add(
        "--cores",
        type=positive,
        nargs="+",
        default=[2, 32],
        help="numbers of cores to simulate (default: 2 and 32)",
    )
    add("--out", type=OUT, help="draw the jobs over time, as SVG")
    return parser
