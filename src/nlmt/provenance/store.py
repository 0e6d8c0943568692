"""Records of the files of an experiment: their hashes, and the jobs that made them.

A store is a folder, `results/provenance` in a project:

- `files/<path>.json`: the hash of a file, its size and times at hashing, and the job that last
  wrote it;
- `jobs/<rule>/<name>.json`: a job, named like its log.

Paths are those of the workflow, relative to the project's folder. A file outside it is hashed each
time, as no record of it is kept.
"""

import os
from collections.abc import Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from nlmt.errors import InputError
from nlmt.io.files import file_hash
from nlmt.io.json_files import read_json, write_json

FOLDER = Path("results/provenance")
_LOGS = "logs"


@dataclass(frozen=True)
class FileRecord:
    """The state of a file when it was hashed.

    Attributes:
        sha256: of its content, in hexadecimal.
        size: in bytes.
        mtime_ns: its time of modification, in nanoseconds.
        ctime_ns: the time of its last change, which the system alone sets.
        job: that last wrote the file, whose record has the hash; empty if none did.
    """

    sha256: str
    size: int
    mtime_ns: int
    ctime_ns: int
    job: str

    def is_of(self, status: os.stat_result) -> bool:
        """Whether a file with this status has the content that was hashed."""
        seen = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        return seen == (self.size, self.mtime_ns, self.ctime_ns)


@dataclass(frozen=True)
class JobRecord:
    """The record of a successful job.

    Attributes:
        rule: its name.
        wildcards: of the rule, by name.
        params: the part of the configuration that the job depends on.
        inputs: SHA-256 of each input file.
        outputs: SHA-256 of each output file.
        threads: number that it had.
        started: time, UTC, in ISO 8601.
        seconds: wall time.
        cpu_seconds: processor time, including programs that it ran.
        memory_mb: peak memory of its process, or of a program that it ran.
        processor: model and vector instructions.
        system: operating system, kernel and architecture.
        versions: of nlmt, Python and the loaded packages.
        commit: of nlmt's checkout; empty if it was installed from a package.
        stretches: other code that made the outputs, by module and package: that of processes from
            whose checkpoints the job resumed, in their order, and what only its own processes
            loaded. One without entries is unknown.
        modules: start of the SHA-256 of the code of each loaded module of nlmt and plugin on which
            results may depend.
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
    stretches: Sequence[dict[str, str]] = field(default=(), kw_only=True)
    modules: dict[str, str]


_Record = TypeVar("_Record", FileRecord, JobRecord)


class Store:
    """Records of files and jobs below one folder."""

    def __init__(self, folder: Path = FOLDER, *, verify: bool = False) -> None:
        """Name the folder; `verify`: read files again whose times have not changed, too."""
        self.folder = folder
        self.verify = verify

    @property
    def code(self) -> Path:
        """The file that keeps hashes of code, see `environment.modules`."""
        return self.folder / "code.json"

    def report(self, name: str) -> Path:
        """The file to which the processes of a job report their code while it runs."""
        return self.folder / "reports" / f"{name}.json"

    @classmethod
    def of_log(cls, log: Path) -> "Store | None":
        """The store beside the folder `logs` of a log; None for another place."""
        parents = [parent for parent in log.parents if parent.name == _LOGS]
        return cls(parents[-1].with_name(FOLDER.name)) if parents else None

    def job_name(self, log: Path) -> str:
        """The name of the job with this log."""
        return log.relative_to(self.folder.with_name(_LOGS)).with_suffix("").as_posix()

    def file(self, path: Path | str) -> FileRecord:
        """The present state of a file, which is read if it has changed since it was hashed.

        Raises:
            OSError: it cannot be read.
        """
        path = Path(path)
        known = self.recorded(path)
        if known is not None and not self.verify and known.is_of(path.stat()):
            return known
        return self.made(path, "" if known is None else known.job)

    def made(self, path: Path | str, job: str) -> FileRecord:
        """Record a file, of which `job` was the last to write it.

        Raises:
            OSError: it cannot be read, or its record cannot be written.
        """
        path = Path(path)
        status = path.stat()
        record = FileRecord(
            file_hash(path), status.st_size, status.st_mtime_ns, status.st_ctime_ns, job
        )
        place = self._file_place(path)
        if place is not None:
            write_json(place, asdict(record), indent=1)
        return record

    def recorded(self, path: Path | str) -> FileRecord | None:
        """The last record of a file, which may no longer exist."""
        place = self._file_place(Path(path))
        return None if place is None else _read(place, FileRecord)

    def job(self, name: str) -> JobRecord | None:
        """The record of a job."""
        return _read(self._job_place(name), JobRecord)

    def jobs(self) -> dict[str, JobRecord]:
        """The records of all jobs by name."""
        top = self.folder / "jobs"
        names = (path.relative_to(top).with_suffix("") for path in sorted(top.rglob("*.json")))
        found = {name.as_posix(): self.job(name.as_posix()) for name in names}
        return {name: job for name, job in found.items() if job is not None}

    def makers(self) -> dict[str, str]:
        """The name of the job that made each file on record; empty if it is not known."""
        top = self.folder / "files"
        found = {place.relative_to(top): _read(place, FileRecord) for place in top.rglob("*.json")}
        return {
            path.with_suffix("").as_posix(): "" if record is None else record.job
            for path, record in sorted(found.items())
        }

    def write_job(self, name: str, record: JobRecord) -> None:
        """Write the record of a job, replacing a former one."""
        write_json(self._job_place(name), asdict(record), indent=1)

    def _file_place(self, path: Path) -> Path | None:
        """The place of a file's record; None for a file outside the project, which has none."""
        if path.is_absolute() or ".." in path.parts:
            return None
        return self.folder / "files" / f"{path}.json"

    def _job_place(self, name: str) -> Path:
        return self.folder / "jobs" / f"{name}.json"


def _read(place: Path, kind: type[_Record]) -> _Record | None:
    """A record; None if there is none, it is damaged, or another version of nlmt wrote it."""
    if not place.exists():
        return None
    try:
        content = read_json(place)
    except InputError:
        return None
    keys = {field.name for field in fields(kind)}
    required = {field.name for field in fields(kind) if field.default is MISSING}
    if not required <= content.keys() <= keys:
        return None
    return kind(**content)
