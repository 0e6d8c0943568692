"""The code behind a result that several processes make, one after the other or together.

Training and tuning resume from a checkpoint also after a change of the code, as it may hold days of
work. So a checkpoint has the code of each process whose work is in it, and a process that resumes
reports other code than its own to the record of its job.
"""

import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from nlmt.io.json_files import read_json_value, write_json
from nlmt.provenance.environment import changed_code, deciding, modules, versions
from nlmt.provenance.store import Store
from nlmt.provenance.trace import NAMED, first_of

# Modules with hashes, and packages with versions; empty: unknown.
Code = dict[str, str]
# The file to which the processes of a job report, named in their environment.
_REPORT = "NLMT_CODE_REPORT"


def present_code() -> Code:
    """The code that this process has loaded so far."""
    return deciding(modules(Store().code), versions())


def resumed_code(codes: Sequence[Code], known: Sequence[Code] = ()) -> list[Code]:
    """Return the codes of a checkpoint other than the present one, after a warning and a report.

    Args:
        codes: of the processes that made it; none where an earlier version of nlmt wrote it.
        known: codes of former calls, which are left out.
    """
    present = present_code().items()
    new = [code for code in codes or [{}] if code not in known]
    changes = [(code, changed_code(code.items() - present)) for code in new]
    others = [code for code, changed in changes if changed or not code]
    names = sorted({name for _, changed in changes for name, _ in changed})
    if {} in others:
        logging.warning("the checkpoint does not say which code made it; nor will the result")
    if names:
        logging.warning(
            "the checkpoint was made before a change of the code of %s: the result is of both",
            first_of(names, NAMED),
        )
    report(others)
    return others


def report(codes: Sequence[Code]) -> None:
    """Add code to the record of the job to which this process belongs, if there is one."""
    place = os.environ.get(_REPORT)
    if place and codes:
        write_json(place, [*_reported(Path(place)), *codes])


def begin_report(place: Path) -> None:
    """Let this process, and those that it starts, report to a file; remove one that is there."""
    place.unlink(missing_ok=True)
    os.environ[_REPORT] = str(place.absolute())


def end_report(place: Path, known: Mapping[str, str]) -> list[Code]:
    """Return the code that was reported to a file and is not in `known`; remove the file."""
    os.environ.pop(_REPORT, None)
    codes = [code for code in _reported(place) if not code or not code.items() <= known.items()]
    place.unlink(missing_ok=True)
    return codes


def _reported(place: Path) -> list[Code]:
    return read_json_value(place) if place.exists() else []
