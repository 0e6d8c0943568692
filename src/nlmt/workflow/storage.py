"""Results in one of Snakemake's storages (S3 and others): a job sees them where they always are.

Snakemake keeps local copies of what is in a storage, each at a place that the storage's plugin
chooses, as `.snakemake/storage/s3/<bucket>/results/...`. Parameters and models (`moses.ini`) name
files by their paths in the project, `results/...`, and so do the records of provenance. Links in
the project's folder lead from the one to the other: whatever a job reads or writes by a path of the
project, checkpoints and records included, is among the local copies.

Where another workflow uses this one as a module with `prefix:`, that folder takes the place of the
project's: jobs run in it.
"""

import os
from pathlib import Path, PurePath
from typing import Any

from nlmt.errors import InputError
from nlmt.io.files import temporary_beside

# All that the workflow writes.
FOLDERS = (Path("results"), Path("data/raw"))
_LOGS = ("results", "logs")
PREFIXES = "NLMT_PREFIXES"  # folders of modules, separated as those of PATH


def root_of(log: str) -> Path | None:
    """The folder of the local copies that represents the project; None without a storage.

    The log of a job is, as Snakemake gives it, below `results/logs` of that folder.
    """
    parts = PurePath(log).parts
    for place in reversed(range(1, len(parts))):
        if parts[place : place + 2] == _LOGS:
            return Path(*parts[:place])
    return None


def use_prefix(folder: Path) -> None:
    """Have the jobs of a module run in the folder that its `prefix:` names."""
    known = os.environ.get(PREFIXES, "").split(os.pathsep)
    os.environ[PREFIXES] = os.pathsep.join(dict.fromkeys([*known, str(folder)]))


def link_folders(root: Path) -> None:
    """Make the links of the working directory, the project's folder; nothing where they are there.

    Raises:
        InputError: there is a folder in the place of a link, as of a run without the storage.
    """
    for link in FOLDERS:
        target = Path(os.path.relpath(root / link, link.parent))
        if link.is_symlink():
            if link.readlink() == target:
                continue
        elif link.exists():
            hint = "move it away, or take a folder for the project without it: --directory"
            what = "a link to the storage's local copies belongs here"
            raise InputError(what, path=link, hint=hint)
        (root / link).mkdir(parents=True, exist_ok=True)
        link.parent.mkdir(parents=True, exist_ok=True)
        # In one step, as other jobs do the same.
        temporary = temporary_beside(link)
        temporary.symlink_to(target)
        temporary.replace(link)


def use_paths_of_project(job: Any) -> None:
    """Give a job, which its script sees as `snakemake`, the paths of the project.

    A job of a module with `prefix:` goes into its folder.

    Raises:
        InputError: see `link_folders`.
    """
    root = root_of(str(job.log[0]))
    if root is None or root == Path.cwd():
        return
    if str(root) in os.environ.get(PREFIXES, "").split(os.pathsep):
        os.chdir(root)
    else:
        link_folders(root)
    start = f"{root}/"
    for files in ("input", "output", "log"):
        given = getattr(job, files)
        # Other paths are those of files that are not in the storage.
        in_project = type(given)(toclone=given, custom_map=lambda path: path.removeprefix(start))
        setattr(job, files, in_project)


def project_path(path: Path) -> Path:
    """A path that a user gives, as the workflow has it; one outside of the project as it is.

    The project's folder is the working directory; links in it are not followed.
    """
    here = Path.cwd()
    places = Path(os.path.normpath(path.absolute())), path.resolve()
    return next((place.relative_to(here) for place in places if place.is_relative_to(here)), path)
