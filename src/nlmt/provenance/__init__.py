"""Where artefacts come from: a record of each job, and what is read from these records.

Every job imports this package; `compare` and `crate` are modules beside, for those who need them.
"""

from nlmt.provenance.manifest import write_manifest
from nlmt.provenance.recorder import Job, Recorder
from nlmt.provenance.store import FOLDER, FileRecord, JobRecord, Store
from nlmt.provenance.trace import Step, library_changes, trace

__all__ = [
    "FOLDER",
    "FileRecord",
    "Job",
    "JobRecord",
    "Recorder",
    "Step",
    "Store",
    "library_changes",
    "trace",
    "write_manifest",
]
