"""Folders of trained models among a language pair's artefacts: `lm/<name>`, `lm/<name>/run<k>`."""

from collections.abc import Iterable
from pathlib import Path

FOLDER = "lm"
RUN = "/run"  # before the number of the run that trains a model of its own


def is_of_run(file: Path) -> bool:
    """Whether a file of a model belongs to one of its runs (`lm/<name>/run<k>`)."""
    return file.parent.parent.parent.name == FOLDER


def name_of_model(file: Path) -> str:
    """The name of the model that a file belongs to."""
    return file.parent.parent.name if is_of_run(file) else file.parent.name


def by_model(paths: Iterable[Path | str]) -> dict[str, list[Path]]:
    """Files of language models or their runs, by the name of the model."""
    found: dict[str, list[Path]] = {}
    for path in map(Path, paths):
        found.setdefault(name_of_model(path), []).append(path)
    return found


def id_of_model(file: Path) -> str:
    """The name of the model that a file belongs to, with its run: `nce/run2`."""
    return f"{name_of_model(file)}/{file.parent.name}" if is_of_run(file) else file.parent.name


def pair_of_model(file: Path) -> str:
    """The language pair of the model that a file belongs to."""
    return file.parents[3 if is_of_run(file) else 2].name
