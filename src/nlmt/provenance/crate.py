"""RO-Crates: artefacts in a zip file with a machine-readable description of their origin.

The metadata follows RO-Crate 1.1 and the profile Process Run Crate 0.5: the files of the folder are
data entities, each job behind them is a `CreateAction` with its inputs (`object`), outputs
(`result`) and software (`instrument`). Files that are not in the zip, such as models and corpora,
are described by name, hash and size.
"""

import hashlib
import json
import zipfile
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

from nlmt.errors import InputError
from nlmt.io.files import atomic_path
from nlmt.provenance.store import JobRecord, Store
from nlmt.provenance.trace import Step, trace

Entity: TypeAlias = dict[str, Any]

METADATA = "ro-crate-metadata.json"
_VERSION = "https://w3id.org/ro/crate/1.1"
_PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_TERMS = {"sha256": "https://schema.org/sha256"}
_SOFTWARE = "#nlmt-"
_BLOCK = 1 << 20  # bytes, after each of which Ctrl-C ends it
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # earliest time in a zip file: equal content is equal bytes


def write_crate(
    out: Path, store: Store, folder: Path, *, title: str, description: str, licence: str
) -> None:
    """Write a folder of artefacts as an RO-Crate, a zip file.

    The folder's hidden files are left out; the licence is a name or an address.

    Raises:
        InputError: the folder has no file on record, or files that are not current or change
            meanwhile.
        OSError: a file cannot be read or written.
    """
    paths = sorted(
        path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")
    )
    steps = trace(store, *map(str, paths))
    if not any(step.job for step in steps):
        raise InputError("no job is on record that made any file", path=folder)
    for step in steps:
        for reason in step.reasons:
            hint = "run the workflow first, so that all is current"
            raise InputError(f"not current: {reason}", path=step.path, hint=hint)
    graph = _graph(steps, {str(path) for path in paths})
    described = {entity["@id"]: entity for entity in graph}
    graph[1] |= {"name": title, "description": description, "license": licence}
    context = ["/".join([_VERSION, "context"]), _TERMS]
    metadata = json.dumps({"@context": context, "@graph": graph}, indent=2) + "\n"
    with atomic_path(out) as temporary, zipfile.ZipFile(temporary, "w") as crate:
        crate.writestr(_entry(METADATA), metadata)
        for path in paths:
            digest, new = hashlib.sha256(), _entry(str(path), path.stat().st_size)
            with path.open("rb") as stream, crate.open(new, "w") as entry:
                while block := stream.read(_BLOCK):
                    digest.update(block)
                    entry.write(block)
            if digest.hexdigest() != described[str(path)]["sha256"]:
                what, hint = "it has just been changed", "run the same command again"
                raise InputError(what, path=path, hint=hint)


def _graph(steps: list[Step], inside: set[str]) -> list[Entity]:
    """All entities: first the metadata itself, then the crate."""
    jobs = {step.job_name: step.job for step in steps if step.job is not None}
    hashes = {
        path: digest for job in jobs.values() for path, digest in (job.inputs | job.outputs).items()
    }
    hashes |= {step.path: step.sha256 for step in steps if step.sha256}
    ids = {path: path if path in inside else f"#{path}" for path in hashes}
    crate = {
        "@id": "./",
        "@type": "Dataset",
        "conformsTo": {"@id": _PROFILE},
        "datePublished": max(_end(job) for job in jobs.values()),
        "hasPart": _references(ids[path] for path in sorted(inside)),
        "mentions": _references(f"#{name}" for name in jobs),
    }
    head = {
        "@id": METADATA,
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": _VERSION},
    }
    profile = {"@id": _PROFILE, "@type": "CreativeWork", "name": "Process Run Crate"}
    files = [_file(path, ids[path], digest) for path, digest in hashes.items()]
    actions = [_action(name, job, ids) for name, job in jobs.items()]
    return [head, crate, profile, *_software(jobs.values()), *files, *actions]


def _file(path: str, identity: str, digest: str) -> Entity:
    """A file's entity; it is in the crate if its path identifies it."""
    kind = "File" if identity == path else "CreativeWork"
    entity = {"@id": identity, "@type": kind, "name": path, "sha256": digest}
    if Path(path).exists():
        entity["contentSize"] = str(Path(path).stat().st_size)
    return entity


def _action(name: str, job: JobRecord, ids: dict[str, str]) -> Entity:
    facts = {
        "parameters": json.dumps(job.params, sort_keys=True),
        "processor": job.processor,
        "system": job.system,
        "threads": str(job.threads),
        "versions": json.dumps(job.versions),
    }
    return {
        "@id": f"#{name}",
        "@type": "CreateAction",
        "name": job.rule,
        "description": "; ".join(f"{key}: {value}" for key, value in facts.items()),
        "instrument": {"@id": f"{_SOFTWARE}{_version(job)}"},
        "object": _references(ids[path] for path in job.inputs),
        "result": _references(ids[path] for path in job.outputs),
        "startTime": job.started,
        "endTime": _end(job),
    }


def _software(jobs: Iterable[JobRecord]) -> list[Entity]:
    """The entities of the versions of nlmt that were run."""
    return [
        {
            "@id": f"{_SOFTWARE}{version}",
            "@type": "SoftwareApplication",
            "name": "nlmt",
            "softwareVersion": version,
        }
        for version in sorted({_version(job) for job in jobs})
    ]


def _version(job: JobRecord) -> str:
    version = job.versions["nlmt"]
    return f"{version}+{job.commit}" if job.commit else version


def _end(job: JobRecord) -> str:
    end = datetime.fromisoformat(job.started) + timedelta(seconds=job.seconds)
    return end.isoformat(timespec="seconds")


def _references(ids: Iterable[str]) -> list[Entity]:
    return [{"@id": identity} for identity in ids]


def _entry(name: str, size: int = 0) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _EARLIEST)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    entry.file_size = size  # from 2 GB on it needs larger fields
    return entry
