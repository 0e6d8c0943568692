"""Traces from an artefact back to the corpus: its jobs, and whether it is current."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from nlmt.io.files import write_lines
from nlmt.provenance.environment import changed_modules
from nlmt.provenance.store import JobRecord, Store


@dataclass(frozen=True)
class Step:
    """One file of a trace.

    Attributes:
        path: of the file.
        sha256: of its present content; empty if it is gone.
        job_name: of the job that made it; empty if no job is on record, as for the corpus.
        job: its record.
        reasons: why the file is not current, one line each; empty if it is.
    """

    path: str
    sha256: str
    job_name: str
    job: JobRecord | None
    reasons: tuple[str, ...]

    @property
    def current(self) -> bool:
        """Whether the file is as its job made it, from current inputs."""
        return not self.reasons


def trace(store: Store, *paths: str) -> list[Step]:
    """All files behind artefacts, each once, inputs before the files made from them.

    The last step is the last artefact. The removal of an intermediate file does not affect the
    files made from it.

    Raises:
        OSError: a file cannot be read, or the records cannot be written.
    """
    steps: dict[str, Step] = {}
    for path in paths:
        _visit(store, path, steps)
    return list(steps.values())


def library_changes(steps: list[Step]) -> list[str]:
    """Modules of nlmt that have changed since they made any of these files."""
    jobs = {step.job_name: step.job for step in steps if step.job is not None}
    recorded = {entry for job in jobs.values() for entry in job.modules.items()}
    return sorted(changed_modules(recorded))


def _visit(store: Store, path: str, steps: dict[str, Step]) -> Step:
    if path in steps:
        return steps[path]
    there = Path(path).exists()
    known = store.file(path) if there else store.recorded(path)
    name = known.job if known is not None else ""
    job = store.job(name) if name else None
    digest = known.sha256 if there and known is not None else ""
    reasons = []
    if job is not None:
        for read, as_read in job.inputs.items():
            reasons += _reasons(_visit(store, read, steps), as_read)
        if digest and digest != job.outputs.get(path):
            reasons.append(f"it was changed after {job.rule} made it")
    step = Step(path, digest, name, job, tuple(reasons))
    steps[path] = step
    return step


def _reasons(source: Step, as_read: str) -> list[str]:
    """Reasons why a file is not current, made from `source` when its hash was `as_read`."""
    made = source.job.outputs.get(source.path, "") if source.job is not None else ""
    if (source.sha256 or made or as_read) != as_read:
        return [f"{source.path} is not what it was made from"]
    return [] if source.current else [f"{source.path} is not current"]


def write_manifest(path: Path | str, store: Store, artefacts: Iterable[str]) -> None:
    """Write the hashes of artefacts and of all files behind them, back to the corpus.

    Inputs come before the files made from them. Removed files are left out.

    Raises:
        OSError: a file cannot be read or written.
    """
    steps = trace(store, *artefacts)
    write_lines(path, (f"{step.sha256}  {step.path}" for step in steps if step.sha256))
