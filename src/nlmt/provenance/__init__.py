"""Provenance of artefacts: records of jobs, and information derived from them.

Every job imports this package; `compare` and `crate` are imported only where they are needed.
"""

from nlmt.provenance.recorder import Job, Recorder
from nlmt.provenance.store import FOLDER, FileRecord, JobRecord, Store
from nlmt.provenance.stretches import Code, present_code, report, resumed_code
from nlmt.provenance.trace import (
    Step,
    code_warnings,
    library_changes,
    mixed_code,
    older_outputs,
    trace,
    write_manifest,
)

__all__ = [
    "FOLDER",
    "Code",
    "FileRecord",
    "Job",
    "JobRecord",
    "Recorder",
    "Step",
    "Store",
    "code_warnings",
    "library_changes",
    "mixed_code",
    "older_outputs",
    "present_code",
    "report",
    "resumed_code",
    "trace",
    "write_manifest",
]
