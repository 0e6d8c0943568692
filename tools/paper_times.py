"""Times of the papers on one pair and on all, from the jobs that `nlmt papers publish` keeps.

Jobs of the pair that has been published stand for those of the other pairs of a paper. The wall
times of jobs are as they were, beside other work if there was any.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from nlmt.io.json_files import read_json
from nlmt.papers import PAPERS
from nlmt.papers.published_runs import JOBS, RECORD
from nlmt.provenance.timeline import WHOLE_MACHINE, TimedJob, critical_path, read_jobs, simulate

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
Row = dict[str, str]


def published_times(places: Mapping[str, Path]) -> Iterator[Row]:
    """Yield the figures of each paper on the pair, and of all together if all have their jobs.

    Args:
        places: the pair's publication by paper; of those that are older than `JOBS` only the number
            of jobs and the processor time are known.
    """
    of_papers = {}
    for key, place in places.items():
        if (place / JOBS).exists():
            of_papers[key] = read_jobs(place / JOBS)
            yield from _figures(key, PAIR, of_papers[key])
        else:
            record = read_json(place / RECORD)
            yield from _totals(key, PAIR, record["jobs"], record["cpu_seconds"])
    if of_papers.keys() == set(KEYS):
        yield from _figures("all papers", PAIR, joined(of_papers.values()))
        yield from _figures("all papers", "all pairs", on_all_pairs(of_papers))


def _totals(step: str, setting: str, jobs: int, cpu_seconds: float) -> Iterator[Row]:
    row = {"step": step, "setting": setting}
    yield row | {"figure": f"{jobs}", "unit": "jobs"}
    yield row | {"figure": f"{cpu_seconds / 60:.1f}", "unit": "CPU min"}


def _figures(step: str, setting: str, jobs: Jobs) -> Iterator[Row]:
    """Yield number, processor time by stage and simulated wall time of some jobs, in minutes."""
    yield from _totals(step, setting, len(jobs), sum(job.cpu_seconds for job in jobs.values()))
    figures = {f"CPU min {stage}": 0.0 for stage in STAGES}
    for job in jobs.values():
        stage = next(name for name, begins in STAGES.items() if job.rule.startswith(begins))
        figures[f"CPU min {stage}"] += job.cpu_seconds
    figures |= {f"min on {cores} cores": simulate(jobs, cores) for cores in CORES}
    figures["min, longest path"] = sum(job.seconds for job in critical_path(jobs))
    for unit, figure in figures.items():
        yield {"step": step, "setting": setting, "figure": f"{figure / 60:.1f}", "unit": unit}


def joined(parts: Iterable[Jobs]) -> dict[str, TimedJob]:
    """Jobs of several papers or pairs; one that they share waits for the jobs of each."""
    found: dict[str, TimedJob] = {}
    for jobs in parts:
        for name, job in jobs.items():
            after = found[name].after if name in found else frozenset()
            found[name] = replace(job, after=job.after | after)
    return found


def on_all_pairs(of_papers: Mapping[str, Jobs]) -> dict[str, TimedJob]:
    """The jobs of papers on all of their pairs, each of which takes as long as the one run."""
    return joined(
        {
            name.replace(PAIR, pair): replace(
                job,
                name=name.replace(PAIR, pair),
                after=frozenset(other.replace(PAIR, pair) for other in job.after),
            )
            for name, job in jobs.items()
        }
        for key, jobs in of_papers.items()
        for pair in PAPERS.get(key).pairs
    )
