"""Folders of trained models among a language pair's artefacts: `lm/<name>`, `lm/<name>/run<k>`."""

from pathlib import Path

FOLDER = "lm"
RUN = "/run"  # before the number of the run that trains a model of its own


def name_of_model(file: Path) -> str:
    """The name of the model in whose folder, or that of its run, a file is."""
    folder = file.parent
    return folder.name if folder.parent.name == FOLDER else folder.parent.name
