"""Time of the papers on one pair and on all, from the records of a run in the folder at hand.

Jobs of the pair that has been run stand for those of the other pairs of a paper. The wall times of
jobs are as they were, beside other work if there was any.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.frames import Row
from nlmt.papers import PAPERS
from nlmt.provenance.timeline import WHOLE_MACHINE, TimedJob, critical_path, simulate, timed_jobs

RESULTS = Path("results")
PAIR = "fr-en"
KEYS = ("auli2013", "baltescu2015", "luong2015", "schwenk2010")
CORES = (2, 32)
STAGES = {
    "training": ("train_",),
    "decoding": ("decode",),
    "tuning": ("tune_weights",),
    "rescoring": ("rescore_", "search_", "tune_reranking", "rerank_"),
    "timing": tuple(WHOLE_MACHINE),
    "the rest": ("",),
}
Jobs = Mapping[str, TimedJob]


def run() -> Iterator[Row]:
    """Yield jobs, processor time by stage and simulated wall time of each paper and of all."""
    if not (RESULTS / "provenance").is_dir():
        yield {"step": "papers", "figure": "not run: needs results/", "note": "snakemake papers"}
        return
    jobs = timed_jobs(RESULTS)
    for key in KEYS:
        yield from rows(key, PAIR, needed(jobs, [key]))
    yield from rows("all papers", PAIR, needed(jobs, KEYS))
    yield from rows("all papers", "all pairs", on_all_pairs(jobs))


def rows(step: str, setting: str, jobs: Jobs) -> Iterator[Row]:
    """Yield the figures of some jobs; times in minutes."""
    row: Row = {"step": step, "setting": setting}
    yield row | {"figure": len(jobs), "unit": "jobs"}
    minutes: dict[str, float] = defaultdict(float)
    for job in jobs.values():
        stage = next(name for name, begins in STAGES.items() if job.rule.startswith(begins))
        minutes[stage] += job.cpu_seconds / 60
    for stage in STAGES:
        yield row | {"figure": round(minutes[stage], 1), "unit": f"CPU min {stage}"}
    for cores in CORES:
        figure = round(simulate(jobs, cores) / 60, 1)
        yield row | {"figure": figure, "unit": f"min on {cores} cores"}
    longest = sum(job.seconds for job in critical_path(jobs)) / 60
    yield row | {"figure": round(longest, 1), "unit": "min, longest path"}


def needed(jobs: Jobs, keys: Iterable[str]) -> dict[str, TimedJob]:
    """The jobs that some papers need: those that write into their folders, and all before."""
    folders = tuple(keys)
    last = ("write_paper_table", "draw_paper_figure", "judge_claims", "write_paper_page")
    todo = [
        name
        for name, job in jobs.items()
        if job.rule in last and name.split("/")[1].split(".")[0] in folders
    ]
    found: dict[str, TimedJob] = {}
    while todo:
        name = todo.pop()
        if name not in found:
            found[name] = jobs[name]
            todo += jobs[name].after
    return found


def on_all_pairs(jobs: Jobs) -> dict[str, TimedJob]:
    """The jobs of all papers on all of their pairs, each of which takes as long as the one run."""
    found: dict[str, TimedJob] = {}
    for pair in dict.fromkeys(pair for key in KEYS for pair in PAPERS.get(key).pairs):
        papers = [key for key in KEYS if pair in PAPERS.get(key).pairs]
        for job in needed(jobs, papers).values():
            name = job.name.replace(PAIR, pair)
            after = frozenset(other.replace(PAIR, pair) for other in job.after)
            if name in found:  # of no pair, such as a paper's page
                after |= found[name].after
            found[name] = replace(job, name=name, after=after)
    return found
