"""Comparison of two folders of results, so that two people can compare their runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from nlmt.io.json_files import read_json
from nlmt.provenance.differences import difference
from nlmt.provenance.store import FOLDER, Store

# Files about the course of a run, rather than its results.
_LEFT_OUT = ("logs", "benchmarks", FOLDER.name)


@dataclass(frozen=True)
class Difference:
    """A file that differs between the folders."""

    path: str
    what: str


@dataclass(frozen=True)
class Scores:
    """BLEU of one system in both folders, averaged over its runs; None if missing."""

    path: str
    test_set: str
    first: float | None
    second: float | None


def compare(first: Path, second: Path) -> Iterator[Difference]:
    """Yield the files that differ, in the order of the pipeline.

    That is the order of its folders, and in each of them the order in which the recorded jobs of
    the first results ran. Logs, benchmarks, records and times are ignored.
    """
    paths = _files(first) | _files(second)
    began = _beginnings(second) | _beginnings(first)
    for path in sorted(paths, key=lambda path: (_place(path), began.get(path, "~"), path)):
        one, other = first / path, second / path
        if not one.exists() or not other.exists():
            yield Difference(str(path), f"only in {first if one.exists() else second}")
        elif what := difference(one, other):
            yield Difference(str(path), what)


def compare_scores(first: Path, second: Path) -> list[Scores]:
    """BLEU of all systems of both folders on each test set."""
    paths = _files(first) | _files(second)
    found = []
    for path in sorted(path for path in paths if path.match("eval/*.json")):
        scores = [_bleu(folder / path) for folder in (first, second)]
        for name in scores[0] | scores[1]:
            found.append(Scores(str(path), name, scores[0].get(name), scores[1].get(name)))
    return found


def _bleu(path: Path) -> dict[str, float]:
    """Mean BLEU on each test set."""
    if not path.exists():
        return {}
    scores = read_json(path)["scores"]
    return {name: metrics["BLEU"]["mean"] for name, metrics in scores.items() if "BLEU" in metrics}


def _files(folder: Path) -> set[Path]:
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {
        path for path in paths if path.parts[0] not in _LEFT_OUT and not path.name.startswith(".")
    }


def _beginnings(folder: Path) -> dict[Path, str]:
    """The start of the job that made each recorded file."""
    for top in (folder, *folder.parents):
        store = Store(top / FOLDER.name)
        if (store.folder / "jobs").is_dir():
            break
    else:
        return {}
    below = folder.relative_to(top)
    found = {}
    for job in store.jobs().values():
        for output in map(Path, job.outputs):
            inside = Path(*output.parts[1:])  # without `results`
            if inside.is_relative_to(below):
                found[inside.relative_to(below)] = job.started
    return found


# Folders of a language pair, in the order in which the workflow fills them.
_FOLDERS = (
    "raw",
    "casing",
    "pieces",
    "text",
    "recaser",
    "texts",
    "source-classes",
    "classes",
    "tm",
    "tuples",
    "lm",
    "tune",
    "decode",
    "rescore",
    "eval",
    "report",
)


def _place(path: PurePath) -> int:
    """The place of the first of these folders in a path; their number if it has none."""
    return next((_FOLDERS.index(part) for part in path.parts if part in _FOLDERS), len(_FOLDERS))
