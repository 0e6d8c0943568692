"""Write the points that the needs of rules are fitted to.

    python tools/measure_needs.py PART=FOLDER[:FILE,FILE] ...

Each folder is a project: its results hold the records of the jobs (results/provenance) and
Snakemake's benchmark files; the files are those that Snakemake was given with --configfile. PART is
1/16, 1/4 or 1, the share of the bitext that the project had, or medium, its scale (docs/scale.md).
Points of other parts stay. `make generated` then writes the table of that page.
"""

import argparse
import csv
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import chdir
from itertools import chain
from pathlib import Path

from nlmt.corpora import text_sizes
from nlmt.experiment import Experiment, kind_of_job
from nlmt.io.files import write_text
from nlmt.needs import PARTS, Point, base_rule, format_points, need, read_points, size_mb
from nlmt.papers import PAPERS
from nlmt.provenance import JobRecord, Store
from nlmt.workflow.configuration import default_files, read_files

POINTS = Path(__file__).parents[1] / "src/nlmt/needs/points.tsv"
BYTES = 1e6


def points_of(part: str, overlays: list[Path]) -> Iterator[Point]:
    """The points of the present folder, of the tasks of its configuration."""
    files = [*default_files(Path()), *overlays]
    experiment = Experiment.read(read_files(files), files, papers=dict(PAPERS.items()))
    store, texts = Store(), text_sizes(experiment.config.corpora)
    for name, job in store.jobs().items():
        if job.wildcards.get("task", experiment.config.task) not in experiment.tasks():
            continue
        if "scatteritem" in job.wildcards:  # a part of what other jobs do whole
            continue
        if job.rule.startswith("download"):  # the network decides
            continue
        sizes = {path: _size(store, path) for path in [*job.inputs, *job.outputs]}
        sizes |= {path: texts[path] for path in job.inputs if path in texts}
        yield _point(experiment, sizes, part, name, job)


def _size(store: Store, path: str) -> float:
    record = store.recorded(path)  # the folder is only read
    return Path(path).stat().st_size if record is None else record.size


def _point(
    experiment: Experiment, sizes: dict[str, float], part: str, name: str, job: JobRecord
) -> Point:
    reads = need(job.rule).reads
    inputs = [(path, sizes[path]) for path in job.inputs]
    benchmark = Path("results/benchmarks") / f"{name}.tsv"
    return Point(
        rule=base_rule(job.rule),
        kind=kind_of_job(experiment, job.rule, job.wildcards),
        part=part,
        memory_size_mb=size_mb(inputs, reads.memory),
        time_size_mb=time_size(experiment, job, inputs),
        memory_mb=measured_memory(job, benchmark),
        cpu_seconds=job.cpu_seconds,
        written_mb=tuple(sizes[path] / BYTES for path in job.outputs),
    )


def time_size(
    experiment: Experiment, job: JobRecord, inputs: Collection[tuple[str, float]]
) -> float:
    """The variable of the curve of time: for training, the minutes that the kind expects."""
    if "lm" in job.wildcards and job.rule.startswith("train_"):
        model = experiment.models[job.wildcards["lm"]]
        size = model.time_mb(job.wildcards["src"], job.wildcards["tgt"], inputs)
        return size * model.resources.runtime_per_mb
    reads = need(job.rule).reads
    return min(size_mb(inputs, reads.time), reads.most_time_mb)


def measured_memory(job: JobRecord, benchmark: Path) -> float:
    """The most of one process; of all together, where Snakemake looked at the right moment."""
    if not benchmark.exists():
        return job.memory_mb
    with benchmark.open(newline="", encoding="utf-8") as stream:
        value = next(csv.DictReader(stream, delimiter="\t"))["max_rss"]
    return max(job.memory_mb, 0.0 if value in ("-", "NA") else float(value))


def chosen(points: list[Point]) -> list[Point]:
    """Of each rule, kind and part the smallest and largest job, and those that needed most."""
    groups = defaultdict(list)
    for point in dict.fromkeys(points):  # jobs of no task are those of each configuration
        groups[_group(point)].append(point)
    found = []
    for own in groups.values():
        group = sorted(own, key=lambda point: (point.time_size_mb, point.memory_mb))
        extremes = [
            group[0],
            group[-1],
            max(group, key=lambda point: point.memory_mb),
            max(group, key=lambda point: point.cpu_seconds),
        ]
        found += [point for point in group if any(point is other for other in extremes)]
    return found


def _group(point: Point) -> tuple[str, str, int]:
    return point.rule, point.kind, PARTS.index(point.part)


def main() -> None:
    """Read the folders, write the points."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", metavar="PART=FOLDER[:FILE,FILE]")
    points: dict[str, list[Point]] = defaultdict(list)
    for folder in parser.parse_args().folders:
        part, _, place = folder.partition("=")
        place, _, overlays = place.partition(":")
        with chdir(place):
            points[part] += points_of(part, [Path(name) for name in overlays.split(",") if name])
    kept = [point for point in read_points() if point.part not in points]
    written = sorted([*kept, *chosen([*chain(*points.values())])], key=_group)
    write_text(POINTS, format_points(written))


if __name__ == "__main__":
    main()
