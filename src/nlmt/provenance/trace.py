"""Traces from an artefact back to the corpus: its jobs, and whether it is current."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.provenance.environment import changed_code, deciding
from nlmt.provenance.store import FOLDER, JobRecord, Store

NAMED = 3  # modules in a warning
_AGAIN = "to make the older ones again, add to the command: --forcerun $(nlmt provenance --older)"


@dataclass(frozen=True)
class Step:
    """One file of a trace.

    Attributes:
        path: of the file.
        sha256: of its present content; empty if it is gone.
        job_name: of the job that made it; empty if no job is on record, as for the corpus.
        job: its record; None if there is none that this version can read.
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

    @property
    def unknown(self) -> bool:
        """Whether the workflow made the file, and no record says how."""
        return self.job is None and _is_result(self.path)


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


def library_changes(steps: Iterable[Step]) -> list[str]:
    """Modules of nlmt, and packages, that have changed since they made any of these files."""
    recorded = {entry for step in steps if step.job for entry in _code(step.job)}
    return sorted({name for name, _ in changed_code(recorded)})


def older_outputs(store: Store) -> list[str]:
    """Outputs that other code made than there is now, or unknown code: the first of each job."""
    jobs = store.jobs()
    codes = {name: _code(job) for name, job in jobs.items()}
    changed = changed_code({entry for code in codes.values() for entry in code})
    older = (job for name, job in jobs.items() if not changed.isdisjoint(codes[name]))
    unknown = (path for path, job in store.makers().items() if _is_result(path) and job not in jobs)
    return [*(path for job in older for path in list(job.outputs)[:1]), *unknown]


def code_warnings(store: Store, paths: Sequence[str], *, refuse: bool) -> list[str]:
    """Sentences on code that differs between jobs behind these files, or that no record names.

    Raises:
        InputError: `refuse`, and the code differs or is unknown.
        OSError: a file cannot be read, or the records cannot be written.
    """
    found = mixed_code(trace(store, *paths))
    if found and refuse:
        raise InputError(found[0], path=paths[0], hint=_AGAIN)
    return [f"{what}; {_AGAIN}" for what in found]


def mixed_code(steps: Sequence[Step]) -> list[str]:
    """Sentences on code that differs between the jobs behind files, or that no record names."""
    codes = defaultdict(set)
    for step in steps:
        for name, digest in _code(step.job) if step.job else ():
            codes[name].add(digest)
    mixed = sorted(name for name, found in codes.items() if len(found) > 1)
    unknown = [step.path for step in steps if step.unknown or _began_unknown(step.job)]
    found = []
    if mixed:
        found.append(
            "these results were made partly before, partly after a change of the code of "
            f"{first_of(mixed, NAMED)}"
        )
    if unknown:
        names = first_of(unknown, 1)
        found.append(f"no record that this version reads says which code made {names}")
    return found


def first_of(names: Sequence[str], count: int) -> str:
    """The first of the names in words, with the number of the others."""
    more = f" and {len(names) - count} more" if len(names) > count else ""
    return ", ".join(names[:count]) + more


def _code(job: JobRecord) -> set[tuple[str, str]]:
    """Modules with hashes, and packages with versions, on which the results of a job depend."""
    codes = deciding(job.modules, job.versions), *job.stretches
    return {entry for code in codes for entry in code.items()}


def _began_unknown(job: JobRecord | None) -> bool:
    """Whether a job resumed from a checkpoint that does not say which code made it."""
    return job is not None and {} in job.stretches


def _is_result(path: str) -> bool:
    return Path(path).is_relative_to(FOLDER.parent)


def _visit(store: Store, path: str, steps: dict[str, Step]) -> Step:
    if path in steps:
        return steps[path]
    there = Path(path).exists()
    known = store.file(path) if there else store.recorded(path)
    name = known.job if known is not None else ""
    job = store.job(name) if name else None
    digest = known.sha256 if there and known is not None else ""
    step = steps[path] = Step(path, digest, name, job, ())  # for a file behind it that reads it
    reasons = []
    if job is not None:
        for read, as_read in job.inputs.items():
            reasons += _reasons(_visit(store, read, steps), as_read)
        if digest and digest != job.outputs.get(path):
            reasons.append(f"it was changed after {job.rule} made it")
    elif _is_result(path):
        reasons.append("no record says how it was made")
    del steps[path]  # its place is behind those
    steps[path] = replace(step, reasons=tuple(reasons))
    return steps[path]


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
