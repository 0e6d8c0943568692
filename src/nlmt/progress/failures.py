"""Failed jobs, each as one line with the cause from its log."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nlmt.runlog import FAULT, STOPPED, TIME
from nlmt.workflow.job import is_killed

_ERROR = "error: "
_KILLED = "the system killed it"
_UNKNOWN, _NO_LOG = "its log has no error", "it has no log"


@dataclass
class Failures:
    """The jobs of a run that have failed and not begun again.

    Attributes:
        wildcards: of the jobs that have begun, by their numbers.
        jobs: one line for each job that failed, by its number.
        killed: whether SIGKILL has ended a job of which Snakemake names the number next.
    """

    wildcards: dict[int, str] = field(default_factory=dict)
    jobs: dict[int, str] = field(default_factory=dict)
    killed: bool = False

    def begin(self, number: int, wildcards: Mapping[str, str]) -> None:
        """Note a job that begins, for the first time or again."""
        self.wildcards[number] = ", ".join(f"{name}={value}" for name, value in wildcards.items())
        self.jobs.pop(number, None)

    def note(self, message: str) -> None:
        """Note an error message that names no job."""
        self.killed = self.killed or is_killed(message)

    def fail(self, number: int, rule: str, log: str, said: str = "") -> None:
        """Note a job that failed, its log (empty: none) and what a batch system says of its end."""
        wildcards = self.wildcards.get(number, "")
        name = f"{rule} ({wildcards})" if wildcards else rule
        unknown = _KILLED if self.killed else said.strip(" .") or (_UNKNOWN if log else _NO_LOG)
        cause = cause_in(Path(log)) or unknown
        self.jobs[number] = f"failed: {name}: {cause}" + (f"; log: {log}" if log else "")
        self.killed = False


def cause_in(log: Path) -> str:
    """Return the last error in the log of a job, or the last line of a traceback; else nothing.

    The end of a job that was stopped counts as an error.
    """
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    lines = [TIME.sub("", line) for line in text.splitlines() if line.strip()]
    errors = [line.removeprefix(_ERROR) for line in lines if line.startswith(_ERROR)]
    if errors:
        return errors[-1]
    return lines[-1].strip() if FAULT in lines or STOPPED in lines else ""
