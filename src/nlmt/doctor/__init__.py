"""Checks of a machine and a project for experiments, with remedies."""

from collections.abc import Iterator

from nlmt.doctor.access import access
from nlmt.doctor.check import Check, State
from nlmt.doctor.leftovers import leftovers
from nlmt.doctor.machine import machine
from nlmt.doctor.software import software

__all__ = ["Check", "State", "checks"]


def checks(*, network: bool = True) -> Iterator[Check]:
    """Yield all checks, as they end; checks of the network take seconds."""
    yield from software()
    yield from machine()
    if network:
        yield from access()
    yield from leftovers()
