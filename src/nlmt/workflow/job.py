"""A job of the workflow in its script: log, record, exit status, and mutual exclusion.

When Snakemake is killed, its jobs on a cluster continue, and the next Snakemake submits them again.
The second of two equal jobs waits for the first and takes its result.
"""

import glob
import hashlib
import json
import logging
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from nlmt.errors import InputError
from nlmt.io.files import half_written
from nlmt.io.locks import Owner, locked
from nlmt.live import logged_steps
from nlmt.provenance import Job, Recorder, Store, code_warnings
from nlmt.runlog import MEMORY_HINT, interrupt_on_sigterm, log_to_file
from nlmt.workflow.storage import use_paths_of_project

# Snakemake's message about a job that SIGKILL ended; a shell in between adds 128 to signals.
_KILLED = re.compile(r"died with <Signals\.SIGKILL: 9>|returned non-zero exit status 137\b")
_SKEWED = "clock skew"  # in its message about an output that is older than an input
TOUCH = "find . -newermt now -exec touch {} +"


@contextmanager
def workflow_job(snakemake: Job) -> Iterator[None]:
    """Run the body of a script: logged, recorded, alone, and with one-line errors.

    If another process runs the same job, this one waits; if that one then succeeds, with the same
    inputs and parameters, the script ends here with status 0 and leaves the files alone.
    """
    with log_to_file(None):
        use_paths_of_project(snakemake)
    place = Path(snakemake.log[0])
    waiting = place.with_name(f".{place.name}.{Owner.here().unique}.wait")
    job = _fingerprint(snakemake)
    interrupt_on_sigterm()
    with ExitStack() as stack:
        with log_to_file(None):
            lock = place.with_name(f".{place.name}.lock")
            stack.callback(_remove, waiting)
            stack.enter_context(locked(lock, on_wait=lambda owner: _wait(waiting, owner)))
            if _has_result_of_another(waiting, job, snakemake.output):
                logging.info("its result is taken")
                sys.exit(0)
            _remove_half_written(snakemake.output)
        with log_to_file(place), logged_steps():
            recorder = Recorder(snakemake)
            yield
            recorder.finish()
        _answer_waiting(place, job)


def mixed_code_warnings(snakemake: Job) -> list[str]:
    """Warnings about mixed code behind the inputs of a job, unless its parameters refuse that.

    Raises:
        InputError, OSError: as in `code_warnings`.
    """
    refuse = snakemake.params.mixed_code == "refuse"
    return code_warnings(Store(), snakemake.input, refuse=refuse)


def check_writable(folder: Path) -> None:
    """Raise if results cannot be written, before Snakemake fails at the first output.

    Raises:
        InputError: the folder, or the place where it will be created, is not writable.
    """
    place = folder if folder.exists() else folder.absolute().parent
    if not os.access(place, os.W_OK):
        hint = "check who owns it and how its disk is mounted, or take another folder: --directory"
        raise InputError("nothing can be written there", path=place, hint=hint)


def space_warning(results_mb: float, scratch_mb: float, folder: Path) -> str | None:
    """A warning if a disk has less space than the results and temporary files of a run need."""
    needed_mb, free_mb = results_mb + scratch_mb, shutil.disk_usage(folder).free / 1e6
    if needed_mb <= free_mb:
        return None
    return (
        f"This run is expected to need about {needed_mb:,.0f} MB of disk, {scratch_mb:,.0f} MB of "
        f"it for temporary files at once (nlmt resources), and {free_mb:,.0f} MB are free. Free "
        "some space, ask for fewer pairs, sets or systems, or limit the temporary files of jobs at "
        "once by --resources disk_mb=N."
    )


def is_killed(message: str) -> bool:
    """Whether Snakemake says in a message that SIGKILL ended a job."""
    return _KILLED.search(message) is not None


def failure_hint(log: Path) -> str | None:
    """Advice on a failed run, from Snakemake's log; None if the jobs' own messages suffice."""
    text = log.read_text(encoding="utf-8", errors="replace")
    if is_killed(text):
        return (
            "The system killed a job, usually for lack of memory, as `dmesg` would show. Give "
            "the same command again; training resumes from its checkpoint. If it happens again, "
            f"{MEMORY_HINT}."
        )
    if _SKEWED in text:
        return (
            "Some files have timestamps in the future: the clock was ahead when they were written, "
            "or is behind now. Correct it, then touch files still dated in the future, "
            f"{TOUCH}, and give the same command again."
        )
    return None


def _wait(waiting: Path, owner: str) -> None:
    """Ask the other process to report how it ends."""
    logging.info("the same job is running, %s: waiting for its result", owner)
    waiting.touch()


def _remove(path: Path) -> None:
    with suppress(OSError):  # usually there is none
        path.unlink()


def _has_result_of_another(waiting: Path, job: str, outputs: Sequence[str]) -> bool:
    """Whether the job that this one waited for has made the outputs of this one."""
    if not waiting.exists():
        return False
    return waiting.read_text() == job and all(Path(path).exists() for path in outputs)


def _remove_half_written(outputs: Sequence[str]) -> None:
    """Remove a killed process' remains of these files (see `nlmt.io.files.atomic_path`)."""
    for path in map(Path, outputs):
        for left in path.parent.glob(f".*.{glob.escape(path.name)}"):
            writer = half_written(left)
            if writer and writer[1] == path:
                _remove(left)


def _answer_waiting(place: Path, job: str) -> None:
    """Answer the jobs that wait; remove the file of one that an earlier job answered in vain.

    It was killed. If it has only not read the answer yet, it runs, as without an answer.
    """
    for waiting in place.parent.glob(f".{glob.escape(place.name)}.*.wait"):
        with suppress(OSError):  # one that has just ended
            if waiting.read_text():
                waiting.unlink()
            else:
                waiting.write_text(job)


def _fingerprint(snakemake: Job) -> str:
    """Fingerprint of all on which the result depends, as far as can be checked later."""
    inputs = [(str(path), *_state(Path(path))) for path in snakemake.input]
    params = {name: str(value) for name, value in snakemake.params.items()}
    text = json.dumps([snakemake.rule, inputs, params, [str(path) for path in snakemake.output]])
    return hashlib.sha256(text.encode()).hexdigest()


def _state(path: Path) -> tuple[str, ...]:
    try:
        status = path.stat()
    except OSError:
        return ("absent",)
    return str(status.st_size), str(status.st_mtime_ns)
