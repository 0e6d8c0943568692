"""Checks of a machine and a project for experiments, with remedies."""

from collections.abc import Iterator, Mapping
from typing import Any

from nlmt.doctor.access import access
from nlmt.doctor.check import Check, State
from nlmt.doctor.leftovers import leftovers
from nlmt.doctor.machine import machine
from nlmt.doctor.software import software

__all__ = ["Check", "State", "checks"]


def checks(config: Mapping[str, Any], *, network: bool = True) -> Iterator[Check]:
    """Yield all checks, as they end; those of the network, by a configuration, take seconds."""
    yield from software()
    yield from machine()
    if network:
        yield from access(config)
    yield from leftovers()
