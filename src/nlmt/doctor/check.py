"""One thing that is checked, and how it is put right."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """The result of a check."""

    OK = "ok"
    WARNING = "warning"  # something is missing that not every experiment needs
    FAULT = "fault"


@dataclass(frozen=True)
class Check:
    """The result of one check, and what to do about it unless all is well."""

    subject: str
    state: State
    found: str
    remedy: str = ""
