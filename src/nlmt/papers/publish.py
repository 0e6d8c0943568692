"""Results of runs that are kept in the repository: small frames of each paper, scale and pair.

`<folder>/<paper>/<scale>/<pair>/` has the tables of a run (`<table>.tsv`), the record of what made
them (`record.json`) and the times of the jobs (`jobs.tsv`), all by `publish`, and what follows from
these by the present rules: `claims.tsv`, `comparisons.tsv` and the figures, by `derive`.
"""

import logging
import math
import re
import subprocess
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from nlmt.errors import InputError
from nlmt.io.files import write_text
from nlmt.io.json_files import read_json
from nlmt.papers.claims import read_claims
from nlmt.papers.pages import PaperResults
from nlmt.papers.paper import PAPERS, Paper
from nlmt.papers.plots import standalone_svg
from nlmt.papers.published_runs import (
    RECORD,
    PublishedRun,
    joined,
    not_made,
    read_published_run,
    write_published_run,
)
from nlmt.papers.results import ALL_PAIRS, read_frame, read_tables, records, result_frame
from nlmt.papers.sizes import SIZES
from nlmt.papers.tables import with_published_values
from nlmt.papers.verdicts import judge_claims, read_comparisons
from nlmt.provenance import FOLDER, JobRecord, Step, Store, mixed_code, trace
from nlmt.provenance.environment import DECIDING
from nlmt.provenance.timeline import times_of
from nlmt.report.table import NOT_RUN
from nlmt.text import read_size
from nlmt.workflow.configuration import scales_of_tasks

log = logging.getLogger(__name__)

_SCORES = "test_sets"  # a table of every paper that no finding reads: kept without differences
# Columns that follow from published values and claims, which the repository has, too.
_KNOWN = ("published", "published_unit", "difference", "signature")
_STATED = ("statement", "where", "metric", "relation", "published", "note")
_COMPARED = ("metric", "published_better", "published_worse", "table")
VALUES = Path("config/papers")  # published values and claims, in the project
_LONG = re.compile(r"\d+\.\d{4,}(?:e[+-]\d+)?")  # numbers with digits to spare
_COMMIT = re.compile("[0-9a-f]+")
_DIGITS = 6  # significant ones, enough for every verdict


@dataclass(frozen=True)
class Publication:
    """The published results of a paper at one scale.

    Attributes:
        scale: small, medium, full, mini, or the task of another configuration.
        results: of all its published pairs, judged by the present rules.
        records: of what made them, by pair.
    """

    scale: str
    results: PaperResults
    records: Mapping[str, Mapping[str, Any]]

    def words(self, pair: str, text: str) -> int | None:
        """Number of target words of a training text of a pair, if it was counted."""
        return self.records[pair]["words"].get(text) if pair in self.records else None

    @property
    def most_words(self) -> int:
        """The largest number of words of its pairs."""
        counts = [count for record in self.records.values() for count in record["words"].values()]
        return max(counts, default=0)


def publish(results: Path, folder: Path, project: Path, join: bool = False) -> list[Path]:
    """Publish each paper and pair of a run, in place of those of its scale; return their folders.

    `folder` has one folder for each paper; `project` has the published values, claims and scales.
    Mixed code, files that are not current, commits that are not in the project's history and tables
    that are not there are logged, and in the records. With `join`, those former tables of the same
    paper, scale and pair stay that the run lacks.

    Raises:
        InputError: the run has no table of a paper, no record of the jobs behind one, or those of a
            paper are of several tasks; a run to join learnt from another text; a damaged file.
    """
    scales = scales_of_tasks(project)
    found = []
    for key in PAPERS.names():
        place, paper = results / "papers" / key, PAPERS.get(key)
        made = [name for name in paper.tables if (place / f"{name}.tsv").exists()]
        tables = read_tables(place / f"{name}.tsv" for name in made)
        steps = _steps_behind(results, [f"papers/{key}/{name}.tsv" for name in tables])
        untrained = _untrained(place / "comparisons.tsv")
        measured = [frame[frame["value"].notna()]["pair"] for frame in tables.values()]
        for pair in dict.fromkeys(pair for pairs in measured for pair in pairs):
            if pair == ALL_PAIRS:
                continue
            own = {name: _of_pair(frame, pair) for name, frame in tables.items()}
            behind = [step for step in steps if step.job is None or _is_of(step.job, pair)]
            task = _task_of(behind, place)
            jobs = {step.job_name: step.job for step in behind if step.job is not None}
            record = {"task": task, **_record(jobs.values())}
            signatures = {text for frame in own.values() for text in frame["signature"] if text}
            scale = scales.get(task, task)
            record |= {
                "scale": scale,
                "words": _words(results / task / pair / SIZES, pair, paper),
                "signatures": sorted(signatures),
                "untrained": sorted(untrained.get(pair, ())),
                "warnings": [
                    *_warnings(behind),
                    *_outside(record["commits"], project),
                    *(not_made(name) for name in paper.tables if name not in own),
                ],
            }
            texts = {
                name: _text(frame, (*_KNOWN, "differences") if name == _SCORES else _KNOWN)
                for name, frame in own.items()
            }
            run = PublishedRun(texts, record, times_of(jobs, results))
            found.append(folder / key / scale / pair)
            if join and (found[-1] / RECORD).exists():
                run = joined(run, read_published_run(found[-1], paper.tables), found[-1])
            for warning in run.record["warnings"]:
                log.warning("%s: %s", found[-1], warning)
            write_published_run(found[-1], run)
            derive(found[-1], project / VALUES)
    if not found:
        hint = "run one first: snakemake --cores all baltescu2015"
        raise InputError("no table of a paper", path=results / "papers", hint=hint)
    return found


def derive(place: Path, values: Path) -> None:
    """Write verdicts, comparisons and figures of a published pair by the present rules.

    The pair's place is `<paper>/<scale>/<pair>`; `values` is the folder of values and claims.
    """
    results = read_published_pair(place, values)
    write_text(place / "claims.tsv", _text(results.verdicts, _STATED))
    write_text(place / "comparisons.tsv", _text(results.comparisons, _COMPARED))
    name = results.paper.figure
    if name in results.tables:
        table, frame = results.paper.tables[name], results.tables[name]
        svg = standalone_svg(table, frame, f"{results.key}-{name}")
        write_text(place / f"{name}.svg", svg)


def published_places(folder: Path, key: str) -> list[Path]:
    """The folders of a paper's publications, in the order of its pairs."""
    places = [path.parent for path in sorted((folder / key).glob(f"*/*/{RECORD}"))]
    order = [*PAPERS.get(key).pairs]
    return sorted(places, key=lambda place: [*order, place.name].index(place.name))


def read_publications(folder: Path, key: str, values: Path) -> list[Publication]:
    """The publications of a paper, by the size of their training text, judged by present rules."""
    by_scale: dict[str, list[Path]] = {}
    for place in published_places(folder, key):
        by_scale.setdefault(place.parent.name, []).append(place)
    found = [_read_scale(scale, places, values) for scale, places in by_scale.items()]
    return sorted(found, key=lambda one: one.most_words)


def _read_scale(scale: str, places: Sequence[Path], values: Path) -> Publication:
    """The results of a paper at one scale, all pairs joined."""
    of_pairs = [read_published_pair(place, values) for place in places]
    tables: dict[str, list[pd.DataFrame]] = {}
    for one in of_pairs:
        for name, frame in one.tables.items():
            own = frame[frame["pair"].isin([*one.pairs, ALL_PAIRS])]
            tables.setdefault(name, []).append(own)
    results = PaperResults(
        of_pairs[0].key,
        of_pairs[0].paper,
        [place.name for place in places],
        {
            name: pd.concat(frames).drop_duplicates(["pair", "row", "column"])
            for name, frames in tables.items()
        },
        pd.concat([one.verdicts for one in of_pairs]),
        pd.concat([one.comparisons for one in of_pairs]),
    )
    return Publication(scale, results, {place.name: read_json(place / RECORD) for place in places})


def read_published_pair(place: Path, values: Path) -> PaperResults:
    """The published results of a paper on one pair, judged by the present rules."""
    key, pair = place.parents[1].name, place.name
    paper = PAPERS.get(key)
    tables = {}
    for name, of_values in paper.published_pairs.items():
        if (place / f"{name}.tsv").exists():
            cells = read_frame(place / f"{name}.tsv").replace({"": math.nan, NOT_RUN: math.nan})
            frame = result_frame(records(cells))
            tables[name] = with_published_values(frame, values / key / f"{name}.tsv", of_values)
    if not (values / key / "claims.yaml").exists():
        return PaperResults(key, paper, [pair], tables)
    verdicts, comparisons = judge_claims(
        read_claims(values, key),
        tables,
        [pair],
        paper.published_pairs,
        paper.trainings,
        [(pair, part) for part in read_json(place / RECORD)["untrained"]],
    )
    return PaperResults(key, paper, [pair], tables, verdicts, comparisons)


def _of_pair(frame: pd.DataFrame, pair: str) -> pd.DataFrame:
    """The rows of a pair that the run has, and of none; those of the paper alone have no part."""
    ours = frame["value"].notna() | (frame["part"] != "")
    return frame[frame["pair"].isin([pair, ALL_PAIRS]) & ours]


def _text(frame: pd.DataFrame, known: Iterable[str]) -> str:
    """A frame as TSV, with its significant digits, without columns that are known or empty."""
    frame = frame.drop(columns=list(known))
    filled = (frame.notna() & (frame != "")).any()
    text = frame.loc[:, filled].to_csv(sep="\t", index=False, lineterminator="\n")
    return _LONG.sub(lambda found: f"{float(found[0]):.{_DIGITS}g}", text)


def _words(sizes: Path, pair: str, paper: Paper) -> dict[str, int]:
    """Number of target words of the texts from which a paper's models learn, if counted."""
    if not sizes.exists():
        return {}
    target = pair.rpartition("-")[2]
    names = [text.name for text in paper.texts.values()]
    return {name: read_size(sizes, name, target).tokens for name in names}


def _untrained(comparisons: Path) -> dict[str, set[str]]:
    """Systems and models that take part in no finding, by pair."""
    found: dict[str, set[str]] = {}
    if comparisons.exists():
        frame = read_comparisons(comparisons)
        for pair, parts in zip(frame["pair"], frame["untrained"], strict=True):
            found.setdefault(pair, set()).update(parts.split())
    return found


def _steps_behind(results: Path, tables: Iterable[str]) -> list[Step]:
    """All files behind tables of a run, by its records."""
    results = results.absolute()
    store = Store(results / FOLDER.name)
    with chdir(results.parent):  # where the records' paths begin
        return trace(store, *(f"{FOLDER.parent}/{table}" for table in tables))


def _is_of(job: JobRecord, pair: str) -> bool:
    """Whether a job is of a pair, or of none."""
    source, _, target = pair.partition("-")
    own = job.wildcards.get("src", source), job.wildcards.get("tgt", target)
    return own == (source, target)


def _task_of(steps: Sequence[Step], place: Path) -> str:
    """The task of the jobs behind the tables of a paper.

    Raises:
        InputError: no record of the jobs, or tables of several tasks.
    """
    jobs = (step.job for step in steps if step.job is not None)
    tasks = sorted({job.wildcards["task"] for job in jobs if "task" in job.wildcards})
    if len(tasks) == 1:
        return tasks[0]
    several = f"its tables are of several tasks: {', '.join(tasks)}"
    hint = f"run it again: snakemake --cores all --forceall {place.name}"
    what = several if tasks else "no record of what made its tables"
    raise InputError(what, path=place, hint=hint)


def _record(own: Collection[JobRecord]) -> dict[str, Any]:
    """The commits, versions, machines, seeds and times of the jobs behind tables."""
    versions = defaultdict(set)
    for job in own:
        for name, version in job.versions.items():
            versions[name].add(version)
        for code in job.stretches:
            for name in DECIDING.keys() & code.keys():
                versions[name].add(code[name])
    return {
        "commits": sorted({job.commit for job in own}),
        "processors": sorted({job.processor for job in own}),
        "systems": sorted({job.system for job in own}),
        "versions": {name: ", ".join(sorted(found)) for name, found in sorted(versions.items())},
        "seeds": sorted({job.params["seed"] for job in own if "seed" in job.params}),
        "runs": sorted({seed for job in own for seed in job.params.get("seeds", ())}),
        "begun": min((job.started for job in own), default=""),
        "jobs": len(own),
        "seconds": round(sum(job.seconds for job in own)),
        "cpu_seconds": round(sum(job.cpu_seconds for job in own)),
    }


def _warnings(steps: Sequence[Step]) -> Iterator[str]:
    """Yield sentences on mixed code, and on the first file behind tables that is not current."""
    yield from mixed_code(steps)
    for step in steps:
        if step.reasons and not step.unknown:
            yield f"{step.path} is not current: {step.reasons[0]}"
            return


def _outside(commits: Iterable[str], project: Path) -> Iterator[str]:
    """Yield a sentence for each commit that is no ancestor of HEAD, where git knows that."""

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["git", "-C", str(project), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    try:
        if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
            return
    except OSError:  # there is no git
        return
    for commit in filter(None, commits):
        known = _COMMIT.fullmatch(commit)
        if not known or git("merge-base", "--is-ancestor", commit, "HEAD").returncode != 0:
            yield f"commit {commit} is no ancestor of the project's HEAD"
