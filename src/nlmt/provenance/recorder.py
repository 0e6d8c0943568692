"""Recording of a job of the workflow."""

import json
import os
import re
import resource
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from nlmt.provenance import environment
from nlmt.provenance.store import JobRecord, Store
from nlmt.provenance.stretches import begin_report, end_report

_KILOBYTES_PER_MB = 1024


class Job(Protocol):
    """A job as seen by its script, under the name `snakemake`."""

    input: Sequence[str]
    output: Sequence[str]
    params: Any
    wildcards: Any
    threads: int
    log: Sequence[str]
    rule: str


class Recorder:
    """Measures a job from its start; `finish` writes its record.

    Inputs are hashed once for all jobs that read them (`Store.file`), outputs once more: at a
    gigabyte per second this is little compared with the job itself. Inputs and code are those of
    the start, as either may be edited while a job runs.
    """

    def __init__(self, job: Job) -> None:
        """Begin to measure a job.

        Raises:
            OSError: an input cannot be read, or a record cannot be written.
        """
        self._job = job
        self._store = Store.of_log(Path(job.log[0]))
        self._started = datetime.now(UTC)
        self._clock = time.monotonic()
        if self._store is not None:
            self._inputs = {str(path): self._store.file(path).sha256 for path in job.input}
            self._commit = environment.commit()
            self._versions = environment.versions()
            environment.modules(self._store.code)  # before their files may change
            self._name = self._store.job_name(Path(job.log[0]))
            begin_report(self._store.report(self._name))

    def finish(self) -> None:
        """Record the job after it has written its outputs; do nothing if its log is elsewhere.

        Raises:
            OSError: a record cannot be written.
        """
        store, job = self._store, self._job
        if store is None:
            return
        seconds = time.monotonic() - self._clock
        cpu_seconds = sum(os.times()[:4])
        outputs = {str(path): store.made(path, self._name).sha256 for path in job.output}
        versions = environment.versions() | self._versions
        modules = environment.modules(store.code)
        record = JobRecord(
            rule=job.rule,
            wildcards={key: str(value) for key, value in job.wildcards.items()},
            params=_plain(job.params),
            inputs=self._inputs,
            outputs=outputs,
            threads=job.threads,
            started=self._started.isoformat(timespec="seconds"),
            seconds=round(seconds, 2),
            cpu_seconds=round(cpu_seconds, 2),
            memory_mb=_most_memory() // _KILOBYTES_PER_MB,
            processor=environment.processor(),
            system=environment.system(),
            versions=versions,
            commit=self._commit,
            stretches=end_report(store.report(self._name), environment.deciding(modules, versions)),
            modules=modules,
        )
        store.write_job(self._name, record)


def _plain(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters in the types of JSON."""
    content: dict[str, Any] = json.loads(json.dumps(dict(params.items()), default=str))
    return content


def _most_memory() -> int:
    """Peak memory of this process or of a program that it ran, in kilobytes."""
    return max(_own_memory(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)


def _own_memory() -> int:
    """Peak memory of this process; `getrusage` would include its parent's."""
    try:
        status = Path("/proc/self/status").read_text("ascii", "replace")
    except OSError:
        status = ""
    found = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    return int(found[1]) if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
