"""The folder of the project: the Snakefile, with the default configuration beside it."""

from pathlib import Path

import nlmt

_FILES = ("Snakefile", "config/corpora.yaml")


def project_folder() -> Path:
    """Return the working directory if it is a project, else the checkout that nlmt comes from."""
    checkout = Path(nlmt.__file__).parents[2]
    return checkout if _is_project(checkout) and not _is_project(Path()) else Path()


def _is_project(folder: Path) -> bool:
    return all((folder / name).exists() for name in _FILES)
