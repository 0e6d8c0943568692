"""Where artefacts come from: a record of each job, and what is read from these records."""

from nlmt.provenance.compare import Difference, Scores, compare, compare_scores
from nlmt.provenance.crate import write_crate
from nlmt.provenance.manifest import write_manifest
from nlmt.provenance.recorder import Recorder
from nlmt.provenance.store import FOLDER, FileRecord, JobRecord, Store
from nlmt.provenance.trace import Step, library_changes, trace

__all__ = [
    "FOLDER",
    "Difference",
    "FileRecord",
    "JobRecord",
    "Recorder",
    "Scores",
    "Step",
    "Store",
    "compare",
    "compare_scores",
    "library_changes",
    "trace",
    "write_crate",
    "write_manifest",
]
