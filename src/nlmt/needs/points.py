"""The measured points, one per job, in the table `points.tsv` beside this module."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files

PARTS = ("1/16", "1/4", "1", "medium")  # of the bitext of the help corpus; then scale medium


@dataclass(frozen=True)
class Point:
    """A measured job.

    Attributes:
        kind: of the job, if jobs of the rule differ (`nlmt.experiment.kind_of_job`); else empty.
        part: of the bitext in its experiment, or the scale; one of `PARTS`.
        memory_size_mb: size of the input files on which its memory depends, in 10^6 bytes.
        time_size_mb: size of the input files on which its time depends.
        memory_mb: peak memory.
        cpu_seconds: processor time.
        written_mb: size of each output file, in the order of the rule's outputs.
    """

    rule: str
    kind: str
    part: str
    memory_size_mb: float
    time_size_mb: float
    memory_mb: float
    cpu_seconds: float
    written_mb: tuple[float, ...]


@cache
def read_points() -> tuple[Point, ...]:
    """All points."""
    text = files("nlmt.needs").joinpath("points.tsv").read_text("utf-8")
    return tuple(_point(line.split("\t")) for line in text.splitlines()[1:])


def format_points(points: Iterable[Point]) -> str:
    """The text of the table."""
    rows = [
        (
            *(point.rule, point.kind or "-", point.part),
            *(f"{size:.4g}" for size in (point.memory_size_mb, point.time_size_mb)),
            *(f"{point.memory_mb:.0f}", f"{point.cpu_seconds:.2f}"),
            " ".join(f"{size:.3g}" for size in point.written_mb) or "-",
        )
        for point in points
    ]
    lines = [[field.name for field in fields(Point)], *rows]
    return "".join("\t".join(line) + "\n" for line in lines)


def _point(row: list[str]) -> Point:
    rule, kind, part, *numbers, written = row
    memory_size, time_size, memory, seconds = map(float, numbers)
    sizes = () if written == "-" else tuple(map(float, written.split(" ")))
    kind = "" if kind == "-" else kind
    return Point(rule, kind, part, memory_size, time_size, memory, seconds, sizes)
