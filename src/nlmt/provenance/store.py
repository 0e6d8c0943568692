"""What is known of the files of an experiment: their hashes, and the jobs that made them.

A store is a folder, `results/provenance` in a project:

- `files/<path>.json`: the hash of a file, its size and time when that was taken, and the job that
  last wrote it.
- `jobs/<rule>/<name>.json`: a job, named as its log is.

Paths are those of the workflow, relative to the project's folder. A file outside of it is hashed
each time, as nothing is kept of it.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from nlmt.errors import InputError
from nlmt.io.files import write_text
from nlmt.io.hashes import file_hash
from nlmt.io.json_files import read_json

FOLDER = Path("results/provenance")
_LOGS = "logs"


@dataclass(frozen=True)
class FileRecord:
    """One file, when its hash was taken.

    Attributes:
        sha256: of its content, in hexadecimal.
        size: in bytes.
        mtime_ns: its time of modification, in nanoseconds.
        job: that last wrote the file, whose record says which bytes; empty where none did.
    """

    sha256: str
    size: int
    mtime_ns: int
    job: str = ""


@dataclass(frozen=True)
class JobRecord:
    """One job that ended well.

    Attributes:
        rule: its name.
        wildcards: of the rule, by name.
        params: the part of the configuration that the job depends on.
        inputs: SHA-256 of each input file.
        outputs: SHA-256 of each output file.
        threads: that it was given.
        started: time, UTC, as ISO 8601 has it.
        seconds: that it ran.
        cpu_seconds: of processor time, programs that it ran included.
        memory_mb: the most memory of its process, or of one program that it ran.
        processor: model, and the vector instructions that it has.
        system: operating system, kernel and architecture.
        versions: of nlmt, Python and the packages that were loaded.
        commit: of nlmt's checkout; empty where it was installed from a package.
        modules: start of the SHA-256 of each module of nlmt that was loaded.
    """

    rule: str
    wildcards: dict[str, str]
    params: dict[str, Any]
    inputs: dict[str, str]
    outputs: dict[str, str]
    threads: int
    started: str
    seconds: float
    cpu_seconds: float
    memory_mb: int
    processor: str
    system: str
    versions: dict[str, str]
    commit: str
    modules: dict[str, str]


_Record = TypeVar("_Record", FileRecord, JobRecord)


class Store:
    """Records of files and jobs below one folder."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder

    @classmethod
    def of_log(cls, log: Path) -> "Store | None":
        """The store beside the folder `logs` that a log is in; None for another place."""
        parents = [parent for parent in log.parents if parent.name == _LOGS]
        return cls(parents[-1].with_name(FOLDER.name)) if parents else None

    def job_name(self, log: Path) -> str:
        """The name of the job that has this log."""
        return log.relative_to(self.folder.with_name(_LOGS)).with_suffix("").as_posix()

    def file(self, path: Path | str) -> FileRecord:
        """A file as it is now; it is read only if it has changed since its hash was taken.

        Raises:
            OSError: it cannot be read.
        """
        path = Path(path)
        status = path.stat()
        size, mtime_ns = status.st_size, status.st_mtime_ns
        known = self.recorded(path)
        if known is not None and (known.size, known.mtime_ns) == (size, mtime_ns):
            return known
        job = "" if known is None else known.job
        record = FileRecord(file_hash(path), size, mtime_ns, job)
        self._write_file(path, record)
        return record

    def made(self, path: Path | str, job: str) -> FileRecord:
        """Record a file that a job has just written.

        Raises:
            OSError: it cannot be read, or its record cannot be written.
        """
        path = Path(path)
        status = path.stat()
        record = FileRecord(file_hash(path), status.st_size, status.st_mtime_ns, job)
        self._write_file(path, record)
        return record

    def recorded(self, path: Path | str) -> FileRecord | None:
        """What was last recorded of a file, which need not exist any more."""
        place = self._file_place(Path(path))
        return None if place is None else _read(place, FileRecord)

    def job(self, name: str) -> JobRecord | None:
        """The record of a job."""
        return _read(self._job_place(name), JobRecord)

    def jobs(self) -> dict[str, JobRecord]:
        """All jobs by their names."""
        top = self.folder / "jobs"
        names = (path.relative_to(top).with_suffix("") for path in sorted(top.rglob("*.json")))
        found = {name.as_posix(): self.job(name.as_posix()) for name in names}
        return {name: job for name, job in found.items() if job is not None}

    def write_job(self, name: str, record: JobRecord) -> None:
        """Write the record of a job, in place of a former one."""
        _write(self._job_place(name), asdict(record))

    def _write_file(self, path: Path, record: FileRecord) -> None:
        place = self._file_place(path)
        if place is not None:
            # Two machines may write the same record under the same temporary name: one is enough.
            with suppress(FileNotFoundError):
                _write(place, asdict(record))

    def _file_place(self, path: Path) -> Path | None:
        if path.is_absolute() or ".." in path.parts:
            return None
        return self.folder / "files" / f"{path}.json"

    def _job_place(self, name: str) -> Path:
        return self.folder / "jobs" / f"{name}.json"


def _write(place: Path, content: Mapping[str, Any]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    write_text(place, json.dumps(content, indent=1) + "\n")


def _read(place: Path, kind: type[_Record]) -> _Record | None:
    """A record; None where there is none, or another version of nlmt wrote it."""
    if not place.exists():
        return None
    try:
        content = read_json(place)
    except InputError:
        return None
    if content.keys() != {field.name for field in fields(kind)}:
        return None
    return kind(**content)
