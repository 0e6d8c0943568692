"""`nlmt provenance`: show how an artefact of the workflow was made."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nlmt.cli.files import IN
from nlmt.cli.parser import Options, Parser
from nlmt.errors import InputError
from nlmt.provenance import (
    JobRecord,
    Step,
    Store,
    library_changes,
    mixed_code,
    older_outputs,
    trace,
)
from nlmt.workflow.storage import project_path

DESCRIPTION = """\
Prints the job that made an artefact of the workflow (rule, parameters, seeds, inputs, versions,
processor, time), then every job before it back to the corpus, and whether the artefact is current.
Run it in the project's folder.
"""
EPILOG = """\
Current means: the file and all files behind it have their recorded content. A file is read again
where its size or times have changed; with --verify every one, to find what a disk has damaged.
--dry-run also asks Snakemake whether configuration or code require another run. Each job writes its
records into results/provenance/.

examples:
  nlmt provenance results/help/fr-en/eval/nlm.json
  nlmt provenance results/help/fr-en/report/results.tsv --dry-run --configfile mine.yaml
  nlmt provenance results/papers/baltescu2015/table7.tsv --json
  snakemake --cores all demo --forcerun $(nlmt provenance --older)
"""
_DIGITS = 12
_WIDTH = 12
_SEEDS = ("seed", "seeds", "run")


def run(options: Options) -> int:
    """Print the provenance; return 1 if the file is not current."""
    if options.older:
        print("\n".join(older_outputs(Store())))
        return 0
    steps = trace(Store(verify=options.verify), str(project_path(options.file)))
    step = steps[-1]
    if step.job is None:
        raise InputError(
            "no recorded job made it",
            path=options.file,
            hint="is this the project's folder, and the file an output of the workflow?",
        )
    reasons = list(step.reasons)
    if options.dry_run:
        reasons += _ask_snakemake(step.path, options.configfile)
    changes = library_changes(steps)
    if options.json:
        print(json.dumps(_content(steps, reasons, changes), indent=2))
    else:
        print("\n".join(_lines(steps, step, step.job, reasons, changes)))
    return 1 if reasons else 0


def check(options: Options) -> None:
    """Refuse a file together with --older, and neither."""
    if options.older == (options.file is not None):
        raise InputError("a file and --older" if options.older else "no file", hint="give one")


def _ask_snakemake(path: str, overlays: list[Path]) -> list[str]:
    """Snakemake's reasons for making a file again; none if it would not."""
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--nolock", "--quiet", "progress"]
    command += ["--configfile", *map(str, overlays)] if overlays else []
    result = subprocess.run([*command, "--", path], capture_output=True, text=True, check=False)
    messages = [line.strip() for line in (result.stdout + result.stderr).splitlines()]
    if result.returncode != 0:
        raise InputError("Snakemake's dry run failed", hint=next(filter(None, messages[::-1]), ""))
    found = dict.fromkeys(line for line in messages if line.startswith("reason:"))
    return [f"Snakemake would make it again, {reason}" for reason in found]


def _content(steps: list[Step], reasons: list[str], changes: list[str]) -> dict[str, Any]:
    """The provenance as JSON, for other programs."""
    jobs = {step.job_name: asdict(step.job) for step in steps if step.job is not None}
    files = [
        {"path": step.path, "sha256": step.sha256, "job": step.job_name or None} for step in steps
    ]
    return {
        "file": steps[-1].path,
        "current": not reasons,
        "reasons": reasons,
        "library_changes": changes,
        "files": files,
        "jobs": jobs,
    }


def _lines(
    steps: list[Step], step: Step, job: JobRecord, reasons: list[str], changes: list[str]
) -> Iterator[str]:
    yield step.path
    yield from _field("current", *([f"no: {reason}" for reason in reasons] or ["yes"]))
    if changes:
        yield from _field("library", f"has other code now in {', '.join(changes)}")
    yield from _field("mixed code", *mixed_code(steps))
    yield from _field("sha256", step.sha256 or "the file is gone")
    yield from _field("rule", f"{job.rule} ({_pairs(job.wildcards)})")
    parameters = [f"{key}: {json.dumps(value)}" for key, value in job.params.items()]
    yield from _field("parameters", *parameters or ["none"])
    yield from _field("seeds", _seeds(job) or "none")
    yield from _field("made", f"{job.started}, in {job.seconds:.1f} s (threads: {job.threads}),"
                      f" {job.cpu_seconds:.1f} s of processor, {job.memory_mb} MB")  # fmt: skip
    yield from _field("processor", job.processor)
    yield from _field("system", job.system)
    commit = f", commit {job.commit[:_DIGITS]}" if job.commit else ""
    yield from _field("versions", _pairs(job.versions) + commit)
    yield from _field("inputs", *(f"{job.inputs[path][:_DIGITS]}  {path}" for path in job.inputs))
    yield from _field("log", f"results/logs/{step.job_name}.log")
    yield ""
    yield "back to the corpus:"
    yield from _history(steps)


def _history(steps: list[Step]) -> Iterator[str]:
    """A line for each job, from those that read the corpus, and below it files of no job."""
    shown = set()
    for step in steps:
        job = step.job
        if job is None:
            origin = "no record" if step.unknown else "given"
            yield f"  {step.sha256[:_DIGITS] or 'gone':{_DIGITS}}  {step.path}  ({origin})"
        elif step.job_name not in shown:
            shown.add(step.job_name)
            seeds = f"; {seeds}" if (seeds := _seeds(job)) else ""
            yield f"  {job.started[:19]}  {job.seconds:8.1f} s  {step.job_name}{seeds}"
            yield from (f"    {what}" for what in mixed_code([step]))
            for path, digest in job.outputs.items():
                yield f"    {digest[:_DIGITS]}  {path}"


def _seeds(job: JobRecord) -> str:
    """All seeds among wildcards and parameters."""
    found = {key: job.wildcards[key] for key in _SEEDS if key in job.wildcards}
    return _pairs(found | {key: value for key, value in _flat(job.params) if key in _SEEDS})


def _flat(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value)
        else:
            yield key, value


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items())


def _field(name: str, *values: str) -> Iterator[str]:
    """A fact in one or several lines."""
    for number, value in enumerate(values):
        yield f"  {'' if number else name:{_WIDTH}}{value}"


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt provenance", description=DESCRIPTION, epilog=EPILOG)
    add = parser.add_argument
    add("file", type=IN, nargs="?", help="an output of the workflow")
    add("--older", action="store_true", help="print outputs whose jobs had other code than now")
    add("--verify", action="store_true", help="read all files again")
    add("--dry-run", action="store_true", help="also ask Snakemake whether it is current")
    add(
        "--configfile",
        type=IN,
        nargs="+",
        default=[],
        help="overrides the default configuration, for --dry-run",
    )
    add("--json", action="store_true", help="print all records as JSON")
    return parser
