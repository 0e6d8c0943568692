"""Traces from an artefact back to the corpus: its jobs, and whether it is current."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.files import write_lines
from nlmt.provenance.environment import changed_modules
from nlmt.provenance.store import JobRecord, Store

_NAMED = 3  # modules in a warning


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


def library_changes(steps: Iterable[Step]) -> list[str]:
    """Modules of nlmt whose code has changed since they made any of these files."""
    recorded = {entry for step in steps if step.job for entry in step.job.modules.items()}
    return sorted({name for name, _ in changed_modules(recorded)})


def older_outputs(store: Store) -> list[str]:
    """The first output of each job on record that other code made than there is now."""
    jobs = store.jobs().values()
    changed = changed_modules({entry for job in jobs for entry in job.modules.items()})
    older = (job for job in jobs if not changed.isdisjoint(job.modules.items()))
    return [path for job in older for path in list(job.outputs)[:1]]


def code_warnings(store: Store, paths: Sequence[str], *, refuse: bool) -> list[str]:
    """A sentence on modules that had different code in jobs behind these files; none if all agree.

    Raises:
        InputError: `refuse`, and the code differs.
        OSError: a file cannot be read, or the records cannot be written.
    """
    codes = defaultdict(set)
    for step in trace(store, *paths):
        for name, digest in step.job.modules.items() if step.job else ():
            codes[name].add(digest)
    mixed = sorted(name for name, found in codes.items() if len(found) > 1)
    if not mixed:
        return []
    more = f" and {len(mixed) - _NAMED} more" if len(mixed) > _NAMED else ""
    what = (
        "some of these results were made before, some after a change of the code of "
        f"{', '.join(mixed[:_NAMED])}{more}"
    )
    hint = "to make the older ones again, add to the command: --forcerun $(nlmt provenance --older)"
    if refuse:
        raise InputError(what, path=paths[0], hint=hint)
    return [f"{what}; {hint}"]


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
