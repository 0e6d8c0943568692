"""Files of published runs: tables, the record of what made them, times of jobs; two runs joined."""

import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nlmt.errors import InputError
from nlmt.io.files import read_whole, write_text
from nlmt.io.json_files import read_json, write_json
from nlmt.provenance.timeline import TimedJob, read_jobs, write_jobs

RECORD = "record.json"
JOBS = "jobs.tsv"  # older publications lack it
_LISTS = ("commits", "processors", "systems", "seeds", "runs", "signatures")


@dataclass(frozen=True)
class PublishedRun:
    """Tables, record and jobs of a run on one pair.

    Attributes:
        tables: text of each table's file, by name.
        record: what made them: commits, versions, machines, sizes of texts, warnings.
        jobs: behind the tables, by name.
    """

    tables: Mapping[str, str]
    record: Mapping[str, Any]
    jobs: Mapping[str, TimedJob]


def read_published_run(place: Path, names: Iterable[str]) -> PublishedRun:
    """The published run of a pair; `names` are those of all tables of its paper."""
    paths = {name: place / f"{name}.tsv" for name in names}
    tables = {name: read_whole(path) for name, path in paths.items() if path.exists()}
    return PublishedRun(tables, read_json(place / RECORD), read_jobs(place / JOBS))


def write_published_run(place: Path, run: PublishedRun) -> None:
    """Write a run into a folder, which holds nothing else afterwards."""
    if place.exists():
        shutil.rmtree(place)
    place.mkdir(parents=True)
    for name, text in run.tables.items():
        write_text(place / f"{name}.tsv", text)
    write_json(place / RECORD, run.record, indent=1)
    write_jobs(place / JOBS, run.jobs)


def not_made(table: str) -> str:
    """Return the warning about a table that a run lacks."""
    return f"the run has not made {table}"


def joined(run: PublishedRun, former: PublishedRun, place: Path) -> PublishedRun:
    """Return a run with those tables of a former one that it lacks.

    Jobs of both count once. Systems that the former run had not trained stay so where a table of
    its names them. `place` is the former run's, for messages.

    Raises:
        InputError: the runs learn from different texts, so that their tables do not compare.
    """
    kept = {name: text for name, text in former.tables.items() if name not in run.tables}
    if not kept:
        return run
    words, others = run.record["words"], former.record["words"]
    for text in words.keys() & others.keys():
        if words[text] != others[text]:
            what = f"{text} has {others[text]:,} words there, {words[text]:,} in this run"
            hint = "run the code of the former publication, or publish without --join"
            raise InputError(what, path=place / RECORD, hint=hint)
    both = (former.record, run.record)
    versions = {
        name: {version for one in both for version in one["versions"].get(name, "").split(", ")}
        for name in sorted(former.record["versions"] | run.record["versions"])
    }
    named = {name for text in kept.values() for name in re.findall(r"[\w-]+", text)}
    untrained = named.intersection(former.record["untrained"])
    commits = ", ".join(former.record["commits"])
    note = f"of the former run (commit {commits}): {', '.join(kept)}"
    made = {not_made(name) for name in (*kept, *run.tables)}
    warnings = dict.fromkeys([*run.record["warnings"], note, *former.record["warnings"]])
    jobs = {**former.jobs, **run.jobs}
    record = {
        **run.record,
        **{key: sorted({*former.record[key], *run.record[key]}) for key in _LISTS},
        "versions": {name: ", ".join(sorted(found - {""})) for name, found in versions.items()},
        "begun": min(one["begun"] for one in both),
        "jobs": len(jobs),
        "seconds": round(sum(job.seconds for job in jobs.values())),
        "cpu_seconds": round(sum(job.cpu_seconds for job in jobs.values())),
        "words": others | words,
        "untrained": sorted({*untrained, *run.record["untrained"]}),
        "warnings": [warning for warning in warnings if warning not in made],
    }
    return PublishedRun({**run.tables, **kept}, record, jobs)
